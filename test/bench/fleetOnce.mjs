/** Builds a corpus once, alone or with a fleet, and prints what it took: `fleetOnce.mjs <url> <dir> <searches> [<queue> <storage>]`. */
import { openCorpus } from "../../dist/corpus/index.js";
import { openFleet } from "../../dist/fleet/index.js";
import { clientOf } from "./contenders.mjs";

const [url, dir, count, queue, storage] = process.argv.slice(2);
const options = { pageSize: 20 };
const archive =
  queue === undefined
    ? clientOf(url, options)
    : await openFleet({ ...options, apiKey: "key", baseUrl: url, progress: false, queue, storage, corpus: dir });
const searches = Array.from({ length: Number(count) }, (_none, at) => ({ query: `q${at}` }));
const corpus = await openCorpus(dir, { archive, searches, lookups: [] });
const before = process.cpuUsage();
const start = performance.now();
const { mentions, verdict, requests } = await corpus.build();
const ms = performance.now() - start;
const { user, system } = process.cpuUsage(before);
await archive.close();
process.stdout.write(JSON.stringify({ ms, cpu: (user + system) / 1000, mentions, verdict, requests }));
