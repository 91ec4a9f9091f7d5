import { readFileSync } from "node:fs";
import { join } from "node:path";
import { concat, type PolarsFrame, readFrame, saveFrame, toDataFrame } from "../../src/index.js";

/** Mentions with the given members, by the schema of the service. */
export function mentions(rows: readonly Record<string, unknown>[]) {
  return toDataFrame(
    rows.map((row, at) => ({ id: `m${at}`, ...row })),
    { operation: "mentions" },
  );
}

/** Mentions that follow from their numbers, from 0. */
export const mentionsOf = (count: number, row: (at: number) => Record<string, unknown>) =>
  mentions(Array.from({ length: count }, (_, at) => row(at)));

/** Mentions of texts alone. */
export const texts = (...all: (string | null)[]) => mentions(all.map((text) => ({ text })));

/** Passages of speakers of two parties in three years: their words, and how often they say one of them. */
export const CLUSTERED = readFileSync(new URL("clustered.csv", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => {
    const [personid, party, year, words, count] = line.split(",") as [string, string, string, string, string];
    return { personid: Number(personid), party, year: Number(year), words: Number(words), count: Number(count) };
  });

/** What may happen to a frame between two calls, and changes no number. */
export function detours(
  newFolder: () => string,
): readonly ((frame: PolarsFrame) => PolarsFrame | Promise<PolarsFrame>)[] {
  const throughFile = (format: string) => async (frame: PolarsFrame) => {
    const path = join(newFolder(), `rows.${format}`);
    await saveFrame(frame, path);
    return readFrame(path);
  };
  return [
    (frame) => frame,
    (frame) => frame.sort("text", true),
    (frame) => concat([frame.tail(frame.height - 9), frame.head(9)]),
    (frame) => frame.select(...[...frame.columns].reverse()),
    ...["csv", "parquet", "arrow", "jsonl"].map(throughFile),
  ];
}
