// A save in a process of its own, to be killed: node saveOnce.mjs <base URL> <file> <maxItems>
import { ArchiveClient } from "../../dist/index.js";

const [baseUrl, path, maxItems] = process.argv.slice(2);
const archive = new ArchiveClient({ baseUrl, apiKey: "embedded-archive", progress: false });
await archive.save("mentions", path, { query: "the", maxItems: Number(maxItems), resume: true });
await archive.close();
