import { CHAINS, openContender, serverOf } from "./chains.mjs";
import { child } from "./child.mjs";
import { all, ratio, rounds, timed } from "./rounds.mjs";
import { atLeast, atMost, timesLine } from "./table.mjs";

const NAMES = ["ours", "raw", "naive"];
const OPEN_ROUNDS = 7;
const WARM_UPS = 3;
const FRESH_ROUNDS = 5;

/** The table of a chain: this package, the bare download, and naive code; over open connections and in fresh processes. */
export async function chainTable(name) {
  const chain = CHAINS[name];
  const server = await serverOf(chain);
  const opened = NAMES.map((contender) => [contender, openContender(contender, server.url, chain)]);
  const open = await rounds(
    Object.fromEntries(opened.map(([contender, { run }]) => [contender, timed(run)])),
    OPEN_ROUNDS,
    WARM_UPS,
  );
  for (const [, contender] of opened) await contender.close();
  const once = (contender) => () => child("downloadOnce.mjs", contender, server.url, name);
  const fresh = await rounds(Object.fromEntries(NAMES.map((contender) => [contender, once(contender)])), FRESH_ROUNDS);
  server.stop();
  return [...lines(chain, open, "connections kept open"), ...lines(chain, fresh, "fresh processes")];
}

function lines({ total, pageRows, goal }, times, how) {
  const line = (what, contender) => timesLine(what, times[contender], times.raw);
  const ours = line(`${number(total)} mentions in pages of ${number(pageRows)}, ${how}`, "ours");
  const faster = ratio(all(times.naive, "ms"), all(times.ours, "ms"));
  return [
    { ...ours, goal: atMost(goal, ours.ratio, "× the download") },
    line("  the bare download", "raw"),
    { ...line("  fetch, json, push, pl.DataFrame", "naive"), goal: atLeast(3, faster, "× ours") },
  ];
}

const number = (value) => value.toLocaleString("en");
