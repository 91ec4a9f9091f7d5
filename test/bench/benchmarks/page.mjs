import pl from "nodejs-polars";
import { FrameBuilder } from "../../../dist/frames/frameBuilder.js";
import { setProvenance } from "../../../dist/frames/provenanceOf.js";
import { arrowStream } from "../../../dist/pages/arrowStream.js";
import { scanPage } from "../../../dist/pages/scanPage.js";
import { operations } from "../../../dist/service/operations/operations.js";
import { frameOf } from "../frameOf.mjs";
import { mentionPage } from "../mentionRows.mjs";
import { median, ratio, rounds } from "../rounds.mjs";
import { atMost, short } from "../table.mjs";

const TIMES = 200;

/** A page of 20 rows, from response bytes to frame, and what its lineage costs. */
export default async function page() {
  const bodies = Array.from({ length: 10 }, (_, at) => mentionPage(20 * at, 20 * at + 20));
  const streams = bodies.map(arrowOf);
  const { ours, tracked, verb, trackedVerb, floor, naive } = await rounds({
    ours: () => medianTime(bodies, frameOf),
    tracked: () => medianTime(bodies, trackedFrame),
    verb: () => medianTime(bodies.map(frameOf), (frame) => frame.head(10)),
    trackedVerb: () => medianTime(bodies.map(trackedFrame), (frame) => frame.head(10)),
    floor: () => medianTime(streams, (stream) => pl.readIPCStream(stream)),
    naive: () => medianTime(bodies, (bytes) => pl.DataFrame(JSON.parse(bytes).mentions)),
  });
  const goal = atMost(0.15, median(ours), "ms");
  return [
    { what: "20 rows to a typed frame", median: `${short(median(ours))} ms`, goal },
    { what: "  of which polars reads the Arrow columns", median: `${short(median(floor))} ms` },
    {
      what: "pl.DataFrame(JSON.parse(bytes).mentions)",
      median: `${short(median(naive))} ms`,
      ratio: ratio(naive, ours),
    },
    {
      what: "20 rows to a typed frame with lineage",
      median: `${short(median(tracked))} ms`,
      ratio: ratio(tracked, ours),
      goal: atMost(1.05, ratio(tracked, ours), "×"),
    },
    { what: "head(10) of it", median: `${short(median(verb))} ms` },
    { what: "  with lineage", median: `${short(median(trackedVerb))} ms`, ratio: ratio(trackedVerb, verb) },
  ];
}

/** A result without steps, as far as lineage is concerned. */
const PROVENANCE = { operation: "mentions", parameters: { query: "climate" }, rows: 20, verdict: "complete" };

function trackedFrame(bytes) {
  return setProvenance(frameOf(bytes), PROVENANCE);
}

/** The columns that a page becomes, before polars reads them. */
function arrowOf(bytes) {
  const builder = new FrameBuilder(operations.mentions.columns);
  const page = scanPage(bytes, "mentions", builder.schema);
  return arrowStream(builder.take().writeIPCStream(), [page], (stream) => Buffer.from(stream));
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
