import { toDataFrame } from "../../src/index.js";

/** Mentions with the given members, by the schema of the service. */
export function mentions(rows: readonly Record<string, unknown>[]) {
  return toDataFrame(
    rows.map((row, at) => ({ id: `m${at}`, ...row })),
    { operation: "mentions" },
  );
}

/** Mentions of texts alone. */
export const texts = (...all: (string | null)[]) => mentions(all.map((text) => ({ text })));
