import pl from "nodejs-polars";
import { frameOf } from "../frameOf.mjs";
import { mentionRows } from "../mentionRows.mjs";
import { median, ratio, rounds } from "../rounds.mjs";
import { atMost, short } from "../table.mjs";

const TIMES = 200;

/** A page of 20 rows, from response bytes to frame. */
export default async function page() {
  const bodies = Array.from({ length: 10 }, (_, at) =>
    Buffer.concat([
      Buffer.from('{"cursor":"VdRM","mentions":['),
      mentionRows(20 * at, 20 * at + 20),
      Buffer.from("]}"),
    ]),
  );
  const { ours, naive } = await rounds({
    ours: () => medianTime(bodies, frameOf),
    naive: () => medianTime(bodies, (bytes) => pl.DataFrame(JSON.parse(bytes).mentions)),
  });
  const goal = atMost(0.15, median(ours), "ms");
  return [
    { what: "20 rows to a typed frame", median: `${short(median(ours))} ms`, goal },
    {
      what: "pl.DataFrame(JSON.parse(bytes).mentions)",
      median: `${short(median(naive))} ms`,
      ratio: ratio(naive, ours),
    },
  ];
}

/** The median time of one call in milliseconds. */
function medianTime(bodies, make) {
  const times = [];
  for (let at = 0; at < TIMES; at++) {
    const start = performance.now();
    make(bodies[at % bodies.length]);
    times.push(performance.now() - start);
  }
  return median(times);
}
