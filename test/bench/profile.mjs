/** Profiles a chain: `node test/bench/profile.mjs pages1000` prints the functions with the most self time. */
import { Session } from "node:inspector/promises";
import { CHAINS, openContender, serverOf } from "./chains.mjs";

const SHOWN = 20;
const ROOT = new URL("../../", import.meta.url).href;

const chain = CHAINS[process.argv[2]];
if (chain === undefined) throw new Error(`name one of ${Object.keys(CHAINS).join(", ")}`);
const server = await serverOf(chain);
const { run, close } = openContender("ours", server.url, chain);
for (let time = 0; time < 3; time++) await run();

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.setSamplingInterval", { interval: 200 });
await session.post("Profiler.start");
await run();
const { profile } = await session.post("Profiler.stop");
await close();
server.stop();

const callers = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
const nodes = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));

/** The location of a function. Native functions have none and V8 may misname them, so they are identified by their caller. */
function locationOf(id) {
  const { functionName, url, lineNumber } = nodes.get(id);
  const name = (functionName || "(anonymous)").slice(0, 40);
  if (url !== "") return `${name}  ${url.replace(ROOT, "").replace(/^.*node_modules./, "")}:${lineNumber + 1}`;
  const caller = nodes.get(callers.get(id));
  return name.startsWith("(") || caller === undefined ? name : `${name}  native, called by ${caller.functionName}`;
}

const self = new Map();
profile.samples.forEach((id, at) => {
  const place = locationOf(id);
  self.set(place, (self.get(place) ?? 0) + profile.timeDeltas[at] / 1000);
});
const whole = [...self.values()].reduce((sum, ms) => sum + ms, 0);
console.log(`${process.argv[2]}: ${Math.round(whole)} ms under the profiler`);
for (const [place, ms] of [...self].sort((a, b) => b[1] - a[1]).slice(0, SHOWN)) {
  console.log(`${ms.toFixed(1).padStart(8)} ms ${((100 * ms) / whole).toFixed(1).padStart(5)} %  ${place}`);
}
