import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  ArchiveClient,
  type PolarsFrame,
  provenanceOf,
  type SaveFormat,
  type SnapshotMode,
  type Verdict,
} from "../../src/index.js";
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

const FORMATS: readonly SaveFormat[] = ["csv", "json", "jsonl", "xlsx", "parquet", "arrow"];

const rowsOf = (frame: PolarsFrame) => frame.toRecords() as object[];
const ofFrame = (frame: PolarsFrame): CallResult => ({ rows: rowsOf(frame), verdict: provenanceOf(frame)?.verdict });
const ofRows = (rows: readonly object[]): CallResult => ({ rows, verdict: provenanceOf(rows)?.verdict });
const delivered: CallResult = { rows: [] };

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
  {
    name: "maxItems",
    group: "maxItems",
    keeps: "partial",
    run: async ({ archive, cursor }) => ofFrame(await archive.mentions("row", { cursor, maxItems: 1000 })),
  },
  {
    name: "maxItems, in the middle of a page",
    group: "maxItems",
    keeps: "partial",
    maxItems: 18,
    run: async ({ archive, cursor, maxItems }) =>
      ofRows(await archive.mentions("row", { cursor, maxItems: maxItems, format: "records" })),
  },
  {
    name: "maxItems, bills",
    group: "maxItems",
    keeps: "partial",
    run: async ({ archive, cursor }) => ofFrame(await archive.bills("row", { cursor, maxItems: 1000 })),
  },
  {
    name: "scan, collect",
    group: "collect",
    keeps: "partial",
    run: async ({ archive, cursor }) => ofFrame(await archive.scan.mentions("row", { cursor }).collect()),
  },
  {
    name: "scan, collect, bills",
    group: "collect",
    keeps: "partial",
    run: async ({ archive, cursor }) => ofFrame(await archive.scan.bills("row", { cursor }).collect()),
  },
  {
    name: "scan, batches",
    group: "batches",
    keeps: "partial",
    run: async ({ archive, cursor, deliver }) => {
      for await (const frame of archive.scan.mentions("row", { cursor }).batches({ batchSize: 3 }))
        deliver(rowsOf(frame));
      return delivered;
    },
  },
  {
    name: "scan, forEachBatch",
    group: "batches",
    keeps: "partial",
    run: async ({ archive, cursor, deliver }) => {
      const take = (frame: PolarsFrame) => {
        deliver(rowsOf(frame));
      };
      await archive.scan.bills("row", { cursor }).forEachBatch(take, { batchSize: 5 });
      return delivered;
    },
  },
  {
    name: "scan, records",
    group: "batches",
    keeps: "partial",
    run: async ({ archive, cursor, deliver }) => {
      for await (const row of archive.scan.mentions("row", { cursor }).records()) deliver([row]);
      return delivered;
    },
  },
  {
    name: "iterRecords",
    group: "iterRecords",
    keeps: "partial",
    run: async ({ archive, cursor, deliver }) => {
      for await (const row of archive.iterRecords("mentions", { query: "row", cursor })) deliver([row]);
      return delivered;
    },
  },
  {
    name: "iterRecords, bills",
    group: "iterRecords",
    keeps: "partial",
    maxItems: 18,
    run: async ({ archive, cursor, maxItems, deliver }) => {
      const rows = archive.iterRecords("bills", { query: "row", cursor, maxItems: maxItems });
      for await (const row of rows) deliver([row]);
      return delivered;
    },
  },
  ...FORMATS.map(
    (format): Call => ({
      name: `sink, ${format}`,
      group: "sink",
      keeps: "file",
      run: async ({ archive, directory }) => {
        const path = await archive.scan.mentions("row").sink(join(directory, `rows.${format}`));
        return { rows: await readRows(path) };
      },
    }),
  ),
  {
    name: "save, csv",
    group: "save",
    keeps: "file",
    run: async ({ archive, directory }) => ({
      rows: await readRows(await archive.save("bills", `${directory}/`, { query: "row" })),
    }),
  },
  {
    name: "save, parquet, maxItems",
    group: "save",
    keeps: "file",
    maxItems: 18,
    run: async ({ archive, directory }) => {
      const options = { query: "row", maxItems: 18, format: "parquet" } as const;
      return { rows: await readRows(await archive.save("mentions", `${directory}/`, options)) };
    },
  },
  {
    name: "snapshot, recorded and replayed",
    group: "snapshot",
    keeps: "partial",
    snapshot: "record",
    run: async ({ archive, directory, cursor }) => {
      const then = await archive.mentions("row", { cursor, maxItems: 1000 });
      const snapshot = { dir: join(directory, "snapshot"), mode: "replay" } as const;
      await using replay = new ArchiveClient({ snapshot, pageSize: PAGE_ROWS, concurrency: CONCURRENCY });
      const now = await replay.mentions("row", { cursor, maxItems: 1000 });
      const same = now.frameEqual(then) && isDeepStrictEqual(provenanceOf(now), provenanceOf(then));
      if (!same) throw new Error("the replay differs from the recording");
      return ofFrame(now);
    },
  },
  {
    name: "snapshot, auto, bills",
    group: "snapshot",
    keeps: "partial",
    snapshot: "auto",
    run: async ({ archive, cursor }) => ofFrame(await archive.scan.bills("row", { cursor }).collect()),
  },
  {
    name: "speechesOnBill",
    group: "speeches",
    keeps: "nothing",
    isUnordered: true,
    run: async ({ archive }) => ofFrame(await archive.speechesOnBill({ title: "Act of Rows", minConfidence: 0 })),
  },
];
