import { join } from "node:path";
import { child } from "../child.mjs";
import { all, median, ratio, rounds } from "../rounds.mjs";
import { startServer } from "../startServer.mjs";
import { atMost, figure, short, timesLine } from "../table.mjs";
import { withFolder } from "../withFolder.mjs";

const FEW = 100_000;
const MANY = 1_000_000;
const FORMATS = ["jsonl", "csv", "parquet"];

/** Goals: time relative to the bare download, peak megabytes, and peak memory relative to a tenth of the rows. */
const GOALS = {
  jsonl: { time: 2.5, memory: 90 },
  csv: { time: 2.5, memory: 90 },
  parquet: { time: 2.8, memory: 180 },
};
const MAX_GROWTH = 1.1;

const PEAK = "  peak memory, without mapped files";
const GROWN = "  ten times the rows";

/** Saves a million mentions in each format, each in a fresh process, compared with the bare download. */
export default () => withFolder(save);

async function save(folder) {
  const few = await startServer({ total: FEW, pageRows: 1000 });
  const many = await startServer({ total: MANY, pageRows: 1000 });
  const once = (server, format) => () =>
    child("saveOnce.mjs", server.url, format === "-" ? "-" : join(folder, `a.${format}`));
  const floor = ({ url }, how, name) => child.bind(undefined, "saveOnce.mjs", url, how, join(folder, name));
  const contenders = {
    raw: once(many, "-"),
    "raw few": once(few, "-"),
    floor: floor(many, "floor", "floor.jsonl"),
    "floor few": floor(few, "floor", "floor.jsonl"),
    "floor parquet": floor(many, "floorParquet", "floor.parquet"),
    "floor parquet few": floor(few, "floorParquet", "floor.parquet"),
  };
  for (const format of FORMATS) {
    contenders[format] = once(many, format);
    contenders[`${format} few`] = once(few, format);
  }
  const runs = await rounds(contenders, 3);
  few.stop();
  many.stop();
  const line = (what, name) => ({
    ...timesLine(what, runs[name], runs.raw),
    cpu: `${short(median(all(runs[name], "cpu")) / (MANY / 100_000))} ms per 100,000`,
  });
  const memory = (name) => {
    const [peak, peakOfFew] = [name, `${name} few`].map((one) => all(runs[one], "peakMb"));
    return [median(peak), ratio(peak, peakOfFew)];
  };
  const uncompared = (what, name) => {
    const [peak, grown] = memory(name);
    return [line(what, name), figure(PEAK, peak, "MB"), { what: GROWN, ratio: grown }];
  };
  return [
    ...uncompared("1,000,000 mentions, the bare download", "raw"),
    ...uncompared("a plain loop of the steps that JSON Lines need: the floor", "floor"),
    ...uncompared("Parquet from scanned pages, nothing else: its floor", "floor parquet"),
    ...FORMATS.flatMap((format) => {
      const goals = GOALS[format];
      const saved = line(`to ${format}`, format);
      const [peak, grown] = memory(format);
      return [
        { ...saved, goal: atMost(goals.time, saved.ratio, "× the download") },
        figure(PEAK, peak, "MB", { most: goals.memory }),
        { what: GROWN, ratio: grown, goal: atMost(MAX_GROWTH, grown, "×") },
      ];
    }),
  ];
}
