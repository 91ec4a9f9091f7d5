import { type ServedRow, servedRow } from "../corpusServer.js";

/** Rows of some months: each version gives every mention so far another text, and adds one per month. */
export function versionRows(version: number, months: number): ServedRow[] {
  return Array.from({ length: months * (version + 1) }, (_none, at) =>
    servedRow(100 + at, Date.UTC(2024, at % months, 5), `v${1000 + version}`),
  );
}
