export { setProvenance } from "../../../src/frames/provenanceOf.js";

import type { Provenance } from "../../../src/index.js";

/** A sample provenance, with some members changed. */
export function provenance(changes: Partial<Provenance> = {}): Provenance {
  return {
    operation: "mentions",
    parameters: { query: "climate" },
    baseUrl: "https://archive.example/api",
    firstResponseAt: "2026-11-21T06:11:59.100Z",
    lastResponseAt: "2026-11-21T06:12:05.900Z",
    pages: 5,
    requests: 6,
    retries: 1,
    rows: 500,
    duplicates: 0,
    conflicts: 0,
    verdict: "complete",
    reason: null,
    cursor: null,
    sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    source: "https://archive.example/api",
    snapshot: null,
    cached: 0,
    version: "0.1.0",
    ...changes,
  };
}
