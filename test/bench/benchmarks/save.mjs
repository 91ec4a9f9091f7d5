import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { child } from "../child.mjs";
import { median, ratio, rounds } from "../rounds.mjs";
import { startServer } from "../startServer.mjs";
import { atMost, short } from "../table.mjs";

const FEW = 100_000;
const MANY = 1_000_000;
const FORMATS = ["jsonl", "csv", "parquet"];

/** A million mentions to a file of each kind: time against the bare download, and memory against a tenth of them. */
export default async function save() {
  const folder = mkdtempSync(join(tmpdir(), "archive-frames-bench-"));
  const few = await startServer({ total: FEW });
  const many = await startServer({ total: MANY });
  const peaks = {};
  const once = (server, format, name) => async () => {
    const path = format === "-" ? "-" : join(folder, `a.${format}`);
    const { ms, peakMb } = await child("saveOnce.mjs", server.url, path);
    peaks[name] = [...(peaks[name] ?? []), peakMb];
    return ms;
  };
  const contenders = { raw: once(many, "-", "raw") };
  for (const format of FORMATS) {
    contenders[format] = once(many, format, format);
    contenders[`${format} few`] = once(few, format, `${format} few`);
  }
  const times = await rounds(contenders, 3);
  const lines = [{ what: "1,000,000 mentions, the bare download", median: `${short(median(times.raw))} ms` }];
  for (const format of FORMATS) {
    const over = ratio(times[format], times.raw);
    const peak = median(peaks[format]);
    const grown = ratio(peaks[format], peaks[`${format} few`]);
    lines.push(
      {
        what: `to ${format}`,
        median: `${short(median(times[format]))} ms`,
        ratio: over,
        goal: atMost(1.6, over, "× the download"),
      },
      { what: `${format}: peak, without mapped files`, median: `${short(peak)} MB`, goal: atMost(300, peak, "MB") },
      { what: `${format}: ten times the rows`, ratio: grown, goal: atMost(1.2, grown, "×") },
    );
  }
  few.stop();
  many.stop();
  rmSync(folder, { recursive: true, force: true });
  return lines;
}
