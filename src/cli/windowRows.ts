import type { WindowRow } from "./corpusLines.js";

/** The rows of a frame of windows, with days as yyyy-mm-dd. */
export async function windowRows(frame: object): Promise<readonly WindowRow[]> {
  const { toRecords } = await import("../index.js");
  const dayOf = (value: unknown) => (value instanceof Date ? value.toISOString().slice(0, 10) : value);
  return toRecords(frame).map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, dayOf(value)])),
  );
}
