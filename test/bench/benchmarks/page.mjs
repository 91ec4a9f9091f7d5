import pl from "nodejs-polars";
import { FrameBuilder } from "../../../dist/frames/frameBuilder.js";
import { scanPage } from "../../../dist/service/json/scanPage.js";
import { operations } from "../../../dist/service/operations/operations.js";
import { mentionRows } from "../mentionRows.mjs";
import { median, ratio, rounds } from "../rounds.mjs";
import { atMost, short } from "../table.mjs";

const TIMES = 200;

/** One page of 20 rows, from the bytes of the response to a frame. */
export default async function page() {
  const bodies = Array.from({ length: 10 }, (_, at) =>
    Buffer.concat([
      Buffer.from('{"cursor":"VdRM","mentions":['),
      mentionRows(20 * at, 20 * at + 20),
      Buffer.from("]}"),
    ]),
  );
  const { ours, plain } = await rounds({
    ours: () => each(bodies, frameOf),
    plain: () => each(bodies, (bytes) => pl.DataFrame(JSON.parse(bytes).mentions)),
  });
  const goal = atMost(1.5, median(ours), "ms");
  return [
    { what: "20 rows to a typed frame", median: `${short(median(ours))} ms`, goal },
    {
      what: "pl.DataFrame(JSON.parse(bytes).mentions)",
      median: `${short(median(plain))} ms`,
      ratio: ratio(plain, ours),
    },
  ];
}

function frameOf(bytes) {
  const builder = new FrameBuilder(operations.mentions.columns);
  const { spans, plain, broken } = scanPage(bytes, "mentions", builder.shape);
  if (!plain) throw new Error("the page takes the slow way");
  builder.add({ bytes, spans, plain, broken });
  return builder.take();
}

/** The median milliseconds of one call. */
function each(bodies, make) {
  const times = [];
  for (let at = 0; at < TIMES; at++) {
    const start = performance.now();
    make(bodies[at % bodies.length]);
    times.push(performance.now() - start);
  }
  return median(times);
}
