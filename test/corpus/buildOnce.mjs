// node buildOnce.mjs <url> <dir> <verb>: builds or refreshes the corpus there, and says when it begins.
import { openCorpus } from "../../dist/corpus/index.js";
import { ArchiveClient } from "../../dist/index.js";

const [baseUrl, dir, verb] = process.argv.slice(2);
const archive = new ArchiveClient({ apiKey: "key", baseUrl, pageSize: 10, backoffFactor: 0 });
const corpus = await openCorpus(dir, { archive });
process.stdout.write("ready\n");
await corpus[verb](verb === "refresh" ? { lag: "9999d" } : {});
await archive.close();
