// node buildOnce.mjs <url> <dir> <queue> <storage>: builds the corpus there with a fleet.
import { openCorpus } from "../../dist/corpus/index.js";
import { openFleet } from "../../dist/fleet/index.js";

const [baseUrl, corpus, queue, storage] = process.argv.slice(2);
const archive = await openFleet({ baseUrl, corpus, queue, storage, pageSize: 10 });
await (await openCorpus(corpus, { archive })).build();
await archive.close();
