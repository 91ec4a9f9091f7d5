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

/** Requests at once. */
export const CONCURRENCY = 4;

/** What a way of asking has to work with. */
export interface Asking {
  readonly archive: ArchiveClient;
  /** A folder of its own. */
  readonly folder: string;
  /** Where to go on from. */
  readonly cursor: string | undefined;
  /** Rows to ask for at most, where the way has such a bound. */
  readonly most: number | undefined;
  /** Takes rows that are handed over before the call is over. */
  hand(rows: readonly object[]): void;
}

/** What came of it, besides what was handed over. */
export interface Gained {
  readonly rows: readonly object[];
  readonly verdict?: Verdict | undefined;
}

/** A way of asking for the numbered rows. */
export interface Way {
  readonly name: string;
  /** Its column in the table. */
  readonly group: string;
  /** What becomes of what came before a failure: it is on the error, beside the file, or asked for again. */
  readonly keeps: "partial" | "file" | "nothing";
  /** It asks for one page: the one on which the fault strikes. */
  readonly onePage?: boolean;
  /** It gives the body as it was sent. */
  readonly body?: boolean;
  /** It asks for so many rows at most. */
  readonly most?: number;
  /** The answers are kept in a snapshot, in the folder of the case. */
  readonly snapshot?: SnapshotMode;
  /** The order of the rows is its own. */
  readonly unordered?: boolean;
  ask(asking: Asking): Promise<Gained>;
}

const FORMATS: readonly SaveFormat[] = ["csv", "json", "jsonl", "xlsx", "parquet", "arrow"];

const rowsOf = (frame: PolarsFrame) => frame.toRecords() as object[];
const ofFrame = (frame: PolarsFrame): Gained => ({ rows: rowsOf(frame), verdict: provenanceOf(frame)?.verdict });
const ofRows = (rows: readonly object[]): Gained => ({ rows, verdict: provenanceOf(rows)?.verdict });
const handed: Gained = { rows: [] };

/** Every way of asking. A new one is a line here. */
export const ways: readonly Way[] = [
  {
    name: "one page",
    group: "page",
    keeps: "nothing",
    onePage: true,
    ask: async ({ archive, cursor }) => ofFrame(await archive.mentions("row", { cursor, limit: 4 })),
  },
  {
    name: "one page, json",
    group: "page",
    keeps: "nothing",
    onePage: true,
    body: true,
    ask: async ({ archive, cursor }) => {
      const body = await archive.bills("row", { cursor, format: "json" });
      return { rows: (body as { bills?: object[] }).bills ?? [], verdict: provenanceOf(body)?.verdict };
    },
  },
  {
    name: "maxItems",
    group: "maxItems",
    keeps: "partial",
    ask: async ({ archive, cursor }) => ofFrame(await archive.mentions("row", { cursor, maxItems: 1000 })),
  },
  {
    name: "maxItems, in the middle of a page",
    group: "maxItems",
    keeps: "partial",
    most: 18,
    ask: async ({ archive, cursor, most }) =>
      ofRows(await archive.mentions("row", { cursor, maxItems: most, format: "records" })),
  },
  {
    name: "maxItems, bills",
    group: "maxItems",
    keeps: "partial",
    ask: async ({ archive, cursor }) => ofFrame(await archive.bills("row", { cursor, maxItems: 1000 })),
  },
  {
    name: "scan, collect",
    group: "collect",
    keeps: "partial",
    ask: async ({ archive, cursor }) => ofFrame(await archive.scan.mentions("row", { cursor }).collect()),
  },
  {
    name: "scan, collect, bills",
    group: "collect",
    keeps: "partial",
    ask: async ({ archive, cursor }) => ofFrame(await archive.scan.bills("row", { cursor }).collect()),
  },
  {
    name: "scan, batches",
    group: "batches",
    keeps: "partial",
    ask: async ({ archive, cursor, hand }) => {
      for await (const frame of archive.scan.mentions("row", { cursor }).batches({ batchSize: 3 })) hand(rowsOf(frame));
      return handed;
    },
  },
  {
    name: "scan, forEach",
    group: "batches",
    keeps: "partial",
    ask: async ({ archive, cursor, hand }) => {
      const take = (frame: PolarsFrame) => {
        hand(rowsOf(frame));
      };
      await archive.scan.bills("row", { cursor }).forEachBatch(take, { batchSize: 5 });
      return handed;
    },
  },
  {
    name: "scan, records",
    group: "batches",
    keeps: "partial",
    ask: async ({ archive, cursor, hand }) => {
      for await (const row of archive.scan.mentions("row", { cursor }).records()) hand([row]);
      return handed;
    },
  },
  {
    name: "iterRecords",
    group: "iterRecords",
    keeps: "partial",
    ask: async ({ archive, cursor, hand }) => {
      for await (const row of archive.iterRecords("mentions", { query: "row", cursor })) hand([row]);
      return handed;
    },
  },
  {
    name: "iterRecords, bills",
    group: "iterRecords",
    keeps: "partial",
    most: 18,
    ask: async ({ archive, cursor, most, hand }) => {
      const rows = archive.iterRecords("bills", { query: "row", cursor, maxItems: most });
      for await (const row of rows) hand([row]);
      return handed;
    },
  },
  ...FORMATS.map(
    (format): Way => ({
      name: `sink, ${format}`,
      group: "sink",
      keeps: "file",
      ask: async ({ archive, folder }) => {
        const path = await archive.scan.mentions("row").sink(join(folder, `rows.${format}`));
        return { rows: await readRows(path) };
      },
    }),
  ),
  {
    name: "save, csv",
    group: "save",
    keeps: "file",
    ask: async ({ archive, folder }) => ({
      rows: await readRows(await archive.save("bills", `${folder}/`, { query: "row" })),
    }),
  },
  {
    name: "save, parquet, maxItems",
    group: "save",
    keeps: "file",
    most: 18,
    ask: async ({ archive, folder }) => {
      const options = { query: "row", maxItems: 18, format: "parquet" } as const;
      return { rows: await readRows(await archive.save("mentions", `${folder}/`, options)) };
    },
  },
  {
    name: "snapshot, recorded and replayed",
    group: "snapshot",
    keeps: "partial",
    snapshot: "record",
    ask: async ({ archive, folder, cursor }) => {
      const then = await archive.mentions("row", { cursor, maxItems: 1000 });
      const snapshot = { dir: join(folder, "snapshot"), mode: "replay" } as const;
      await using replay = new ArchiveClient({ snapshot, pageSize: PAGE_ROWS, concurrency: CONCURRENCY });
      const now = await replay.mentions("row", { cursor, maxItems: 1000 });
      const same = now.frameEqual(then) && isDeepStrictEqual(provenanceOf(now), provenanceOf(then));
      if (!same) throw new Error("the replay is not what was recorded");
      return ofFrame(now);
    },
  },
  {
    name: "snapshot, auto, bills",
    group: "snapshot",
    keeps: "partial",
    snapshot: "auto",
    ask: async ({ archive, cursor }) => ofFrame(await archive.scan.bills("row", { cursor }).collect()),
  },
  {
    name: "speechesOnBill",
    group: "speeches",
    keeps: "nothing",
    unordered: true,
    ask: async ({ archive }) => ofFrame(await archive.speechesOnBill({ title: "Act of Rows" })),
  },
];
