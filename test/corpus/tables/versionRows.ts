import type { ServedRow } from "../corpusServer.js";

/** Rows of some months: each version gives every mention so far another text, and adds one per month. */
export function versionRows(version: number, months: number): ServedRow[] {
  return Array.from({ length: months * (version + 1) }, (_none, at) => ({
    id: String(100 + at),
    begintime: `2024-0${1 + (at % months)}-05T00:00:00Z`,
    text: `v${1000 + version}`,
    personid: 1,
    programid: 1,
  }));
}
