import { ours, plain, raw } from "./contenders.mjs";
import { median, ratio, rounds, timed } from "./rounds.mjs";
import { startServer } from "./startServer.mjs";
import { atLeast, atMost, short } from "./table.mjs";

/** The chains that are harvested: how many rows, in pages of how many, and how much longer than the download that may take. */
export const HARVESTS = {
  harvest20: { total: 20_000, pageRows: 20, goal: 1.3 },
  harvest1000: { total: 100_000, pageRows: 1000, goal: 1.4 },
};

/** The server of a harvest; its chain can only be walked one page after another. */
export function serverOf({ total, pageRows }) {
  return startServer({ total, pageRows, cursorOnly: true });
}

/** Client options for a chain in which nothing can be asked ahead. */
export function optionsOf({ pageRows }) {
  return { pageSize: pageRows, concurrency: 1 };
}

/** The lines of a harvest: ours, the bare download, and the plain way. */
export async function harvestTable(harvest) {
  const { total, pageRows, goal } = harvest;
  const server = await serverOf(harvest);
  const times = await rounds({
    ours: timed(() => ours(server.url, total, optionsOf(harvest))),
    raw: timed(() => raw(server.url, pageRows)),
    plain: timed(() => plain(server.url, pageRows)),
  });
  server.stop();
  const ms = (list) => `${short(median(list))} ms`;
  const overRaw = ratio(times.ours, times.raw);
  const overOurs = ratio(times.plain, times.ours);
  return [
    {
      what: `${total.toLocaleString("en")} mentions in pages of ${pageRows.toLocaleString("en")}`,
      median: ms(times.ours),
      ratio: overRaw,
      goal: atMost(goal, overRaw, "× the download"),
    },
    { what: "the bare download", median: ms(times.raw) },
    {
      what: "fetch, json, push, pl.DataFrame",
      median: ms(times.plain),
      ratio: overOurs,
      goal: atLeast(2, overOurs, "× ours"),
    },
  ];
}
