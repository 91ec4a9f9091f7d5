import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MergedFooter } from "../../src/files/parquet/mergedFooter.js";
import { parquetKeyValues } from "../../src/files/parquet/parquetKeyValues.js";
import { parquetWriter } from "../../src/files/writers/parquetWriter.js";
import { type PolarsFrame, pl } from "../../src/frames/polars.js";
import { runs } from "../scale.js";
import { temporaryFolder } from "./temporary.js";
import { duck, written } from "./written.js";

const root = temporaryFolder();

const footerStart = (file: Buffer) => file.length - 8 - file.readUInt32LE(file.length - 8);
const metadataOf = (file: Buffer) => file.subarray(footerStart(file), file.length - 8);

/** Puts Parquet files one after another, under one footer. */
function merged(files: readonly Buffer[], keyValues: ReadonlyMap<string, string> = new Map()): Buffer {
  const footer = new MergedFooter();
  const parts: Buffer[] = [Buffer.from("PAR1")];
  let size = 4;
  for (const file of files) {
    footer.add(metadataOf(file), size - 4);
    const rowGroups = file.subarray(4, footerStart(file));
    parts.push(rowGroups);
    size += rowGroups.length;
  }
  const metadata = footer.encode(keyValues);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(metadata.length);
  return Buffer.concat([...parts, metadata, length, Buffer.from("PAR1")]);
}

const frame = (from: number, rows: number, name = "text") =>
  pl.DataFrame([
    pl.Series(
      "id",
      Array.from({ length: rows }, (_, at) => from + at),
      pl.Int64,
    ),
    pl.Series(
      name,
      Array.from({ length: rows }, (_, at) => (at % 3 === 0 ? null : `text ${from + at}`)),
      pl.Utf8,
    ),
    pl.Series(
      "list",
      Array.from({ length: rows }, (_, at) => [from + at, null]),
      pl.List(pl.Int64),
    ),
  ]);

const sized = fc.array(fc.nat(2000), { minLength: 1, maxLength: 6 });

/** Frames of these sizes, with consecutive ids. */
const framesOf = (sizes: readonly number[]): PolarsFrame[] =>
  sizes.map((rows, at) =>
    frame(
      sizes.slice(0, at).reduce((sum, size) => sum + size, 0),
      rows,
    ),
  );

describe("merged Parquet files", () => {
  it("read back like the rows of all, in polars and in DuckDB", async () => {
    await fc.assert(
      fc.asyncProperty(sized, fc.constantFrom("zstd", "snappy", "uncompressed"), async (sizes, compression) => {
        const frames = framesOf(sizes);
        const file = merged(frames.map((one) => one.writeParquet({ compression })));
        const rows = sizes.reduce((sum, size) => sum + size, 0);
        expect(pl.readParquet(file).frameEqual(pl.concat(frames, { how: "diagonal" }))).toBe(true);
        const path = join(root, "merged.parquet");
        writeFileSync(path, file);
        const read = await duck(`select count(*), sum(id), max(text), sum(list[1]) from read_parquet('${path}')`);
        const sum = rows === 0 ? null : String((rows * (rows - 1)) / 2);
        const [texts] = pl.concat(frames, { how: "diagonal" }).select(pl.col("text").max()).row(0) as [string | null];
        expect(read.rows).toEqual([[String(rows), sum, texts, sum]]);
        // Only a reader that uses the statistics and offsets of each row group finds a single row.
        if (rows > 1) {
          const one = await duck(`select text from read_parquet('${path}') where id = ${rows - 1}`);
          expect(one.rows).toEqual([[pl.readParquet(file).row(rows - 1)[1]]]);
        }
      }),
      { numRuns: runs(15) },
    );
  });

  it("have the statistics and offsets of each row group", async () => {
    const path = join(root, "statistics.parquet");
    writeFileSync(path, merged(framesOf([10, 20, 30]).map((one) => one.writeParquet({ compression: "zstd" }))));
    const { rows } = await duck(
      `select row_group_id, row_group_num_rows, stats_min_value, stats_max_value, data_page_offset + total_compressed_size
       from parquet_metadata('${path}') where path_in_schema = 'id' order by all`,
    );
    expect(rows.map((row) => row.slice(0, 4))).toEqual([
      ["0", "10", "0", "9"],
      ["1", "20", "10", "29"],
      ["2", "30", "30", "59"],
    ]);
    const ends = rows.map((row) => Number(row[4]));
    expect(ends).toEqual([...ends].sort((a, b) => a - b));
    expect(Math.max(...ends)).toBeLessThan(readFileSync(path).length);
  });

  it("have more than fourteen row groups", () => {
    const frames = framesOf(Array(40).fill(3));
    const file = merged(frames.map((one) => one.writeParquet()));
    expect(pl.readParquet(file).frameEqual(pl.concat(frames, { how: "diagonal" }))).toBe(true);
  });

  it("have the key-value metadata of the first file, and what was added", () => {
    const [first, second] = framesOf([3, 4]).map((one) => one.writeParquet()) as [Buffer, Buffer];
    const entries = fc.dictionary(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme", maxLength: 300 }));
    fc.assert(
      fc.property(entries, (added) => {
        const file = merged([first, second], new Map(Object.entries(added)));
        const known = parquetKeyValues(metadataOf(file));
        const original = Object.fromEntries(parquetKeyValues(metadataOf(first)));
        expect(Object.fromEntries(known)).toEqual({ ...original, ...added });
        expect(pl.readParquet(file).height).toBe(7);
      }),
      { numRuns: 50 },
    );
  });

  it("with other columns or types are refused", () => {
    const file = frame(0, 3).writeParquet();
    for (const other of [frame(0, 3, "words"), frame(0, 3).drop("list")])
      expect(() => merged([file, other.writeParquet()])).toThrow(RangeError);
  });

  it("whose metadata is damaged throw a RangeError", () => {
    const metadata = metadataOf(frame(0, 50).writeParquet());
    const changes = fc.array(fc.tuple(fc.nat(metadata.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    let refused = 0;
    fc.assert(
      fc.property(changes, fc.nat(metadata.length), (bytes, length) => {
        const damaged = Buffer.from(metadata.subarray(0, length % 3 === 0 ? length : metadata.length));
        for (const [at, byte] of bytes) if (at < damaged.length) damaged[at] = byte;
        const footer = new MergedFooter();
        try {
          footer.add(damaged, 1000);
          footer.encode(new Map());
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          refused++;
        }
      }),
      { numRuns: runs(2000) },
    );
    expect(refused).toBeGreaterThan(100);
  });
});

it("a Parquet file of several row groups has one footer, with the provenance", async () => {
  const frames = framesOf([30_000, 30_000, 30_000]);
  const provenanceJson = () => '{"rows":90000}';
  const path = await written(root, parquetWriter, frames, {}, { provenanceJson });
  const file = readFileSync(path);
  expect(parquetKeyValues(metadataOf(file)).get("archive-frames")).toBe('{"rows":90000}');
  expect(pl.readParquet(file).frameEqual(pl.concat(frames, { how: "diagonal" }))).toBe(true);
  expect(file.indexOf("PAR1", 4)).toBe(file.length - 4);
});
