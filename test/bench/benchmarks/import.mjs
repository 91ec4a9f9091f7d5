import { child } from "../child.mjs";
import { median, ratio, rounds } from "../rounds.mjs";
import { atMost, short } from "../table.mjs";

/** Optional features, which importing the client must not load. */
const LATER = {
  "danfojs-node": /node_modules\/(danfojs|@tensorflow)/,
  tslab: /node_modules\/tslab/,
  commander: /node_modules\/commander/,
  "a Lucene library": /node_modules\/(\w+-)?lucene/,
  "spreadsheet code": /node_modules\/(@e965\/xlsx|xlsx|exceljs|write-excel-file|yazl)|\/writers\/xlsx/i,
};

/** Time to import the client in a fresh process, compared with its two indispensable dependencies. */
export default async function importing() {
  const { ours, needed } = await rounds(
    {
      ours: async () => (await child("importOnce.mjs", "time", "archive-frames")).ms,
      needed: async () => (await child("importOnce.mjs", "time", "nodejs-polars", "undici")).ms,
    },
    9,
  );
  const { scripts } = await child("importOnce.mjs", "list", "archive-frames");
  const loaded = Object.entries(LATER).map(([name, pattern]) => {
    const script = scripts.find((url) => pattern.test(url));
    return { what: `${name} is not loaded`, median: script === undefined ? "yes" : "no" };
  });
  const times = ratio(ours, needed);
  return [
    { what: "archive-frames", median: `${short(median(ours))} ms`, ratio: times, goal: atMost(1.1, times, "×") },
    { what: "nodejs-polars and undici", median: `${short(median(needed))} ms` },
    ...loaded,
  ];
}
