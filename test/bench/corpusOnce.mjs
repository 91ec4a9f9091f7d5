/** Builds a corpus once, and prints what it took: `corpusOnce.mjs <url> <dir> <searches>`. */
import { readFileSync } from "node:fs";
import { openCorpus } from "../../dist/corpus/index.js";
import { clientOf } from "./contenders.mjs";

const [url, dir, count] = process.argv.slice(2);
const archive = clientOf(url, { pageSize: 100 });
const searches = Array.from({ length: Number(count) }, (_none, at) => ({ query: `q${at}` }));
const corpus = await openCorpus(dir, { archive, searches, lookups: [] });
const start = performance.now();
const { mentions, hits, verdict } = await corpus.build();
const ms = performance.now() - start;
const { user, system } = process.cpuUsage();
await archive.close();
const peakMb = Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024;
process.stdout.write(JSON.stringify({ ms, cpu: (user + system) / 1000, mentions, hits, verdict, peakMb }));
