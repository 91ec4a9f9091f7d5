import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ArchiveClient, provenanceOf, type SnapshotMode } from "../../src/index.js";
import { SAVE_FORMATS } from "../files/formats.js";
import { PAGE_ROWS } from "./numberedRows.js";

/** What a test case passes to a call. */
export interface CallSetup {
  readonly archive: ArchiveClient;
  /** The call's own directory. */
  readonly directory: string;
  /** The cursor to resume from. */
  readonly cursor: string | undefined;
  /** Maximum number of rows, for calls that accept one. */
  readonly maxItems: number | undefined;
  /** For a file: false starts over. */
  readonly resume: boolean | undefined;
}

/** A call of the public API that fetches the numbered rows. */
export interface Call {
  readonly name: string;
  /** Where the rows received before a failure are: on the error, in the file's staging directory, or nowhere. */
  readonly keeps: "partial" | "file" | "nothing";
  /** Fetches one page only: the one on which the fault strikes. */
  readonly isOnePage?: boolean;
  /** Returns the body unchanged. */
  readonly isBody?: boolean;
  /** Maximum number of rows it fetches. */
  readonly maxItems?: number;
  /** Records the responses in a snapshot in the case's directory. */
  readonly snapshot?: SnapshotMode;
  /** Returns the rows in its own order. */
  readonly isUnordered?: boolean;
  /** Gives rows, a frame or a body, or what yields them as it runs, or the path of a file. */
  run(setup: CallSetup): AsyncIterable<object> | Promise<object | string>;
}

/** It fetches the page on which the fault strikes. */
const page = (name: string, run: Call["run"], more: Partial<Call> = {}): Call => {
  return { name, keeps: "nothing", isOnePage: true, run, ...more };
};
const partial = (name: string, run: Call["run"], more: Partial<Call> = {}): Call => {
  return { name, keeps: "partial", run, ...more };
};
const file = (name: string, run: Call["run"], more: Partial<Call> = {}): Call => {
  return { name, keeps: "file", run, ...more };
};
/** It ends in the middle of a page. */
const CAPPED = { maxItems: 18 } as const;
const query = "row";

/** The calls that differ in how they fetch or keep rows. Add new ones here. */
export const calls: readonly Call[] = [
  page("one page", ({ archive, cursor }) => archive.mentions(query, { cursor, limit: PAGE_ROWS })),
  page("one page, json", ({ archive, cursor }) => archive.bills(query, { cursor, format: "json" }), { isBody: true }),
  partial("maxItems", ({ archive, cursor }) => archive.bills(query, { cursor, maxItems: 1000 })),
  partial(
    "maxItems, in the middle of a page",
    ({ archive, cursor, maxItems }) => archive.mentions(query, { cursor, maxItems, format: "records" }),
    CAPPED,
  ),
  partial("scan, collect", ({ archive, cursor }) => archive.scan.mentions(query, { cursor }).collect()),
  partial("scan, batches", ({ archive, cursor }) => archive.scan.bills(query, { cursor }).batches({ batchSize: 3 })),
  partial("iterRecords", ({ archive, cursor }) => archive.iterRecords("mentions", { query, cursor })),
  partial(
    "iterRecords, in the middle of a page",
    ({ archive, cursor, maxItems }) => archive.iterRecords("bills", { query, cursor, maxItems }),
    CAPPED,
  ),
  ...SAVE_FORMATS.map((format) =>
    file(`sink, ${format}`, ({ archive, directory, resume }) =>
      archive.scan.mentions(query).sink(join(directory, `rows.${format}`), { resume }),
    ),
  ),
  file("save, csv", ({ archive, directory, resume }) => archive.save("bills", `${directory}/`, { query, resume })),
  file(
    "save, parquet, in the middle of a page",
    ({ archive, directory, resume, maxItems }) =>
      archive.save("mentions", `${directory}/`, { query, maxItems, format: "parquet", resume }),
    CAPPED,
  ),
  partial("snapshot, recorded and replayed", recordAndReplay, { snapshot: "record" }),
  partial("snapshot, auto", ({ archive, cursor }) => archive.scan.bills(query, { cursor }).collect(), {
    snapshot: "auto",
  }),
  {
    name: "speechesOnBill",
    keeps: "nothing",
    isUnordered: true,
    run: ({ archive }) => archive.speechesOnBill({ title: "Act of Rows", minConfidence: 0 }),
  },
];

async function recordAndReplay({ archive, directory, cursor }: CallSetup): Promise<object> {
  const recorded = await archive.mentions(query, { cursor, maxItems: 1000 });
  const snapshot = { dir: join(directory, "snapshot"), mode: "replay" } as const;
  await using replay = new ArchiveClient({ snapshot, pageSize: PAGE_ROWS });
  const replayed = await replay.mentions(query, { cursor, maxItems: 1000 });
  const isSame = replayed.frameEqual(recorded) && isDeepStrictEqual(provenanceOf(replayed), provenanceOf(recorded));
  if (!isSame) throw new Error("the replay differs from the recording");
  return replayed;
}
