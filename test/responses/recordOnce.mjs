// node recordOnce.mjs <base URL> <directory>: records 3,000 mentions in pages of 100; writes a dot for each page.
import { ArchiveClient } from "../../dist/index.js";

const [baseUrl, dir] = process.argv.slice(2);
const progress = ({ verdict }) => verdict ?? process.stdout.write(".");
const archive = new ArchiveClient({
  baseUrl,
  apiKey: "embedded-archive",
  pageSize: 100,
  progress,
  snapshot: { dir, mode: "record" },
});
await archive.mentions("climate", { maxItems: 3000 });
await archive.close();
