import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ArchiveClient, type Provenance, provenanceOf, toRecords } from "../../src/index.js";

/** Rows as far as the tests look at them, and the verdict and counts of the result. */
export interface Fetched {
  readonly rows: ReadonlyArray<{ readonly id?: unknown; readonly text?: unknown }>;
  readonly provenance: Provenance | undefined;
}

const fetched = (rows: object) => ({ rows: toRecords(rows), provenance: provenanceOf(rows) });

/** Every way to fetch all mentions for "x". */
export const WAYS: Readonly<Record<string, (archive: ArchiveClient, folder: string) => Promise<Fetched>>> = {
  maxItems: async (archive) => fetched(await archive.mentions("x", { maxItems: 10_000 })),
  records: async (archive) => fetched(await archive.mentions("x", { maxItems: 10_000, format: "records" })),
  "scan, collect": async (archive) => fetched(await archive.scan.mentions("x").collect()),
  "scan, batches": async (archive) => {
    const rows: Record<string, unknown>[] = [];
    for await (const frame of archive.scan.mentions("x").batches()) rows.push(...toRecords(frame));
    return { rows, provenance: provenanceOf(archive.lastResult()?.frame) };
  },
  iterRecords: async (archive) => {
    const rows: Record<string, unknown>[] = [];
    for await (const row of archive.iterRecords("mentions", { query: "x" })) rows.push(row);
    return { rows, provenance: provenanceOf(archive.lastResult()?.frame) };
  },
  save: async (archive, folder) => {
    const lines = linesOf(await archive.save("mentions", join(folder, "a.jsonl"), { query: "x" }));
    return { rows: lines.map((line) => JSON.parse(line)), provenance: provenanceOf(archive.lastResult()?.frame) };
  },
  sink: async (archive, folder) => {
    const [header, ...lines] = linesOf(await archive.scan.mentions("x").sink(join(folder, "a.csv")));
    const [id, text] = ["id", "text"].map((name) => header?.split(",").indexOf(name)) as [number, number];
    const rows = lines.map((line) => line.split(",")).map((cells) => ({ id: cells[id], text: cells[text] }));
    return { rows, provenance: provenanceOf(archive.lastResult()?.frame) };
  },
};

function linesOf(path: string): string[] {
  return readFileSync(path, "utf8").trim().split("\n");
}
