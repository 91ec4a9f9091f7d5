import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { SAVE_FORMATS } from "../../src/files/saveFormat.js";
import { ArchiveClient, type PolarsFrame, provenanceOf, type SnapshotMode, type Verdict } from "../../src/index.js";
import { readRows } from "./readRows.js";
import { PAGE_ROWS } from "./server/corpus.js";

/** Concurrent requests of each client. */
export const CONCURRENCY = 4;

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
  /** Receives the rows that the call yields as it runs. */
  deliver(rows: readonly object[]): void;
}

/** The result of a call, without the rows it has already yielded. */
export interface CallResult {
  readonly rows: readonly object[];
  readonly verdict?: Verdict | undefined;
}

/** A call of the public API that fetches the numbered rows. */
export interface Call {
  readonly name: string;
  /** Its column in the table of results. */
  readonly group: string;
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
  run(setup: CallSetup): Promise<CallResult>;
}

const rowsOf = (frame: PolarsFrame) => frame.toRecords() as object[];
const ofFrame = (frame: PolarsFrame): CallResult => ({ rows: rowsOf(frame), verdict: provenanceOf(frame)?.verdict });
const ofRows = (rows: readonly object[]): CallResult => ({ rows, verdict: provenanceOf(rows)?.verdict });
const delivered: CallResult = { rows: [] };

/** Calls whose failure has the rows so far as `partial`. */
const partial = (group: string, name: string, run: Call["run"], more: Partial<Call> = {}): Call => {
  return { name, group, keeps: "partial", run, ...more };
};
/** Calls that write a file, which `write` returns. */
const file = (
  group: string,
  name: string,
  write: (setup: CallSetup) => Promise<string>,
  more: Partial<Call> = {},
): Call => {
  return { name, group, keeps: "file", run: async (setup) => ({ rows: await readRows(await write(setup)) }), ...more };
};
async function deliverAll({ deliver }: CallSetup, rows: AsyncIterable<object>): Promise<CallResult> {
  for await (const row of rows) deliver([row]);
  return delivered;
}

/** Every kind of call. Add new entry points here. */
export const calls: readonly Call[] = [
  {
    name: "one page",
    group: "page",
    keeps: "nothing",
    isOnePage: true,
    run: async ({ archive, cursor }) => ofFrame(await archive.mentions("row", { cursor, limit: 4 })),
  },
  {
    name: "one page, json",
    group: "page",
    keeps: "nothing",
    isOnePage: true,
    isBody: true,
    run: async ({ archive, cursor }) => {
      const body = await archive.bills("row", { cursor, format: "json" });
      return { rows: (body as { bills?: object[] }).bills ?? [], verdict: provenanceOf(body)?.verdict };
    },
  },
  partial("maxItems", "maxItems", async ({ archive, cursor }) =>
    ofFrame(await archive.mentions("row", { cursor, maxItems: 1000 })),
  ),
  partial(
    "maxItems",
    "maxItems, in the middle of a page",
    async ({ archive, cursor, maxItems }) =>
      ofRows(await archive.mentions("row", { cursor, maxItems, format: "records" })),
    { maxItems: 18 },
  ),
  partial("maxItems", "maxItems, bills", async ({ archive, cursor }) =>
    ofFrame(await archive.bills("row", { cursor, maxItems: 1000 })),
  ),
  partial("collect", "scan, collect", async ({ archive, cursor }) =>
    ofFrame(await archive.scan.mentions("row", { cursor }).collect()),
  ),
  partial("collect", "scan, collect, bills", async ({ archive, cursor }) =>
    ofFrame(await archive.scan.bills("row", { cursor }).collect()),
  ),
  partial("batches", "scan, batches", async ({ archive, cursor, deliver }) => {
    for await (const frame of archive.scan.mentions("row", { cursor }).batches({ batchSize: 3 }))
      deliver(rowsOf(frame));
    return delivered;
  }),
  partial("batches", "scan, forEachBatch", async ({ archive, cursor, deliver }) => {
    await archive.scan.bills("row", { cursor }).forEachBatch((frame) => deliver(rowsOf(frame)), { batchSize: 5 });
    return delivered;
  }),
  partial("batches", "scan, records", (setup) =>
    deliverAll(setup, setup.archive.scan.mentions("row", { cursor: setup.cursor }).records()),
  ),
  partial("iterRecords", "iterRecords", (setup) =>
    deliverAll(setup, setup.archive.iterRecords("mentions", { query: "row", cursor: setup.cursor })),
  ),
  partial(
    "iterRecords",
    "iterRecords, bills",
    ({ cursor, maxItems, ...setup }) =>
      deliverAll(
        { cursor, maxItems, ...setup },
        setup.archive.iterRecords("bills", { query: "row", cursor, maxItems }),
      ),
    { maxItems: 18 },
  ),
  ...SAVE_FORMATS.map((format) =>
    file("sink", `sink, ${format}`, ({ archive, directory, resume }) =>
      archive.scan.mentions("row").sink(join(directory, `rows.${format}`), { resume }),
    ),
  ),
  file("save", "save, csv", ({ archive, directory, resume }) =>
    archive.save("bills", `${directory}/`, { query: "row", resume }),
  ),
  file(
    "save",
    "save, parquet, maxItems",
    ({ archive, directory, resume }) =>
      archive.save("mentions", `${directory}/`, { query: "row", maxItems: 18, format: "parquet", resume }),
    { maxItems: 18 },
  ),
  partial(
    "snapshot",
    "snapshot, recorded and replayed",
    async ({ archive, directory, cursor }) => {
      const then = await archive.mentions("row", { cursor, maxItems: 1000 });
      const snapshot = { dir: join(directory, "snapshot"), mode: "replay" } as const;
      await using replay = new ArchiveClient({ snapshot, pageSize: PAGE_ROWS, concurrency: CONCURRENCY });
      const now = await replay.mentions("row", { cursor, maxItems: 1000 });
      const same = now.frameEqual(then) && isDeepStrictEqual(provenanceOf(now), provenanceOf(then));
      if (!same) throw new Error("the replay differs from the recording");
      return ofFrame(now);
    },
    { snapshot: "record" },
  ),
  partial(
    "snapshot",
    "snapshot, auto, bills",
    async ({ archive, cursor }) => ofFrame(await archive.scan.bills("row", { cursor }).collect()),
    { snapshot: "auto" },
  ),
  {
    name: "speechesOnBill",
    group: "speeches",
    keeps: "nothing",
    isUnordered: true,
    run: async ({ archive }) => ofFrame(await archive.speechesOnBill({ title: "Act of Rows", minConfidence: 0 })),
  },
];
