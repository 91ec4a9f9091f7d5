/** Builds a corpus once, alone or with a fleet, and prints what it took: `fleetOnce.mjs <url> <dir> <searches> [<queue>]`. */
import { openCorpus } from "../../dist/corpus/index.js";
import { openFleet } from "../../dist/fleet/index.js";
import { clientOf } from "./contenders.mjs";
import { measure } from "./rounds.mjs";

const [url, dir, count, queue] = process.argv.slice(2);
const options = { pageSize: 20 };
const archive =
  queue === undefined ? clientOf(url, options) : await openFleet({ ...options, baseUrl: url, progress: false, queue });
const searches = Array.from({ length: Number(count) }, (_none, at) => ({ query: `q${at}` }));
const corpus = await openCorpus(dir, { archive, searches, lookups: [] });
const { cpu, result } = await measure(() => corpus.build());
await archive.close();
process.stdout.write(JSON.stringify({ cpu, verdict: result.verdict }));
