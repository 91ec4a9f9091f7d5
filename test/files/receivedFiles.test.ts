import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { citation, citationText, readFileProvenance } from "../../src/files/package/readFileProvenance.js";
import { withParquetMetadata } from "../../src/frames/polarsPlan.js";
import { ArchiveError, pl, saveFrame } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { runs } from "../scale.js";
import { pagedArchive, startPagedServer } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";
import { newFolders, temporaryFolder } from "./temporary.js";

const root = temporaryFolder();
const folder = newFolders(root);

/** A Parquet file that consists of metadata only. */
function parquetOf(metadata: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(metadata.length);
  return Buffer.concat([Buffer.from("PAR1"), metadata, length, Buffer.from("PAR1")]);
}

const metadataOf = (file: Buffer) =>
  file.subarray(file.length - 8 - file.readUInt32LE(file.length - 8), file.length - 8);

interface Change {
  readonly at: number;
  readonly remove: number;
  readonly insert: ArrayLike<number>;
}

const changed = (bytes: Buffer, changes: readonly Change[]) =>
  changes.reduce((before, { at, remove, insert }) => {
    const place = at % (before.length + 1);
    return Buffer.concat([before.subarray(0, place), Buffer.from(insert), before.subarray(place + remove)]);
  }, bytes);

/** Four million, as a varint. */
const HUGE = [0xff, 0xff, 0xff, 0x01];
const OUR_KEY = [0x18, 14, ...Buffer.from("archive-frames"), 0x18];

describe("a received Parquet file", () => {
  let saved: Buffer;
  beforeAll(async () => {
    await using server = await startPagedServer({ rows: 30 });
    await using archive = clientTo(server);
    saved = readFileSync(await archive.save("mentions", join(root, "saved.parquet"), { query: "climate" }));
  });

  const read = async (bytes: Buffer) => {
    const path = join(root, "received.parquet");
    writeFileSync(path, bytes);
    return await readFileProvenance(path);
  };

  it("does not give what a row says, in whichever column", async () => {
    const json = JSON.stringify({ ...(await read(saved)), rows: 999 });
    const entry = (text: string) => `\u0018\u000earchive-frames\u0018${text}`;
    for (const spoof of [
      entry(`${String.fromCharCode(json.length & 0x7f)}${json}`),
      entry("\u0002{}"),
      entry("\u0018"),
    ]) {
      const frame = pl.DataFrame({ text: [spoof, spoof], [spoof]: [1, 2] });
      const path = await saveFrame(frame, join(root, "spoof.parquet"), { dataPackage: false });
      expect((await readFileProvenance(path))?.rows).not.toBe(999);
      // A file of ours keeps its own.
      const { archive } = await pagedArchive({ rows: 3, row: (id) => ({ id: String(id), text: spoof }) });
      await archive.save("mentions", path, { query: spoof, dataPackage: false });
      expect(await readFileProvenance(path)).toMatchObject({ rows: 3, parameters: { query: spoof } });
    }
  });

  it.each<[string, number[]]>([
    ["lists of lists", [0x59, ...Array.from({ length: 60 }, () => [0xf9, ...HUGE]).flat()]],
    ["a list of truths", [0x59, 0xf1, ...HUGE]],
    ["a list of structures", [0x59, 0xfc, ...HUGE]],
    ["structures in structures", Array(300).fill(0x1c)],
    ["a text longer than the file", [0x18, ...HUGE]],
    ["a number without an end", [0x16, ...Array(300).fill(0xff)]],
    ["a map", [0x1b, ...HUGE, 0x88]],
    ["a type that is none", [0x1f, 0x00]],
    ["our key and no value", [...OUR_KEY]],
    ["our key and a value longer than the file", [...OUR_KEY, ...HUGE, 0x7b]],
    ["our key and a length without an end", [...OUR_KEY, ...Array(3000).fill(0xff)]],
    ["nothing at all", []],
  ])("with %s takes neither memory nor time", async (_what, metadata) => {
    expect(await read(parquetOf(Buffer.from(metadata)))).toBeUndefined();
  });

  it("with any change is read or has no provenance", async () => {
    const change = fc.record({
      at: fc.nat(),
      remove: fc.oneof(fc.constant(1), fc.nat({ max: 40 })),
      insert: fc.oneof(fc.uint8Array({ maxLength: 8 }), fc.constantFrom(HUGE, [0xf9], [0xfc, ...HUGE], [0])),
    });
    const metadata = metadataOf(saved);
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), fc.boolean(), async (changes, whole) => {
        const bytes = changed(whole ? saved : metadata, changes);
        const said = await read(whole ? bytes : parquetOf(bytes));
        if (said !== undefined) expect(typeof said.rows).toBe("number");
      }),
      { numRuns: runs(24, 480) },
    );
  });

  it("has no provenance if its metadata value is something else", async () => {
    const noting = async (note: string) => {
      const path = join(root, "received.parquet");
      await withParquetMetadata(
        pl
          .DataFrame({ id: [1] })
          .lazy()
          .sinkParquet(path),
        "archive-frames",
        note,
      ).collect();
      return readFileProvenance(path);
    };
    const good = { operation: "mentions", parameters: { query: "x" }, source: "s", retrieved: null, rows: 1 };
    const rest = { verdict: "complete", reason: null, version: "0.1.0", padding: "x".repeat(128) };
    expect(await noting(JSON.stringify({ ...good, ...rest }))).toMatchObject({ rows: 1 });
    let deep = '""';
    for (let level = 0; level < 3000; level++) deep = `[${deep}]`;
    for (const wrong of [
      { rows: -1 },
      { rows: 1.5 },
      { parameters: { query: {} } },
      { parameters: [] },
      { source: {} },
    ]) {
      expect(await noting(JSON.stringify({ ...good, ...rest, ...wrong }))).toBeUndefined();
    }
    const text = JSON.stringify({ ...good, ...rest }).replace('{"query":"x"}', `{"query":${deep}}`);
    expect(await noting(text)).toBeUndefined();
  });
});

describe("a received datapackage.json", () => {
  /** Cites a file, which is then saved again. */
  const cite = async (resource: object) => {
    const dir = folder();
    writeFileSync(join(dir, "a.csv"), "id\n1\n");
    writeFileSync(join(dir, "datapackage.json"), JSON.stringify({ resources: [{ path: "a.csv", ...resource }] }));
    try {
      return citationText(await citation(join(dir, "a.csv")));
    } finally {
      await saveFrame(pl.DataFrame({ a: [1] }), join(dir, "a.csv"));
    }
  };
  const provenance = {
    ...{ operation: "mentions", parameters: { query: "x" }, source: "s", retrieved: "2026-11-21", rows: 1 },
    ...{ verdict: "complete", reason: null, version: "0.1.0" },
  };

  it("with any value in any member is cited or throws a typed error", async () => {
    expect(await cite({ provenance })).toContain("1 row, complete");
    const members = ["path", "hash", "hashes", "provenance", "operation", "parameters", "source", "retrieved", "rows"];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...members, "verdict", "reason", "version"),
        fc.jsonValue(),
        async (member, value) => {
          const own = Object.hasOwn(provenance, member);
          const resource = own ? { provenance: { ...provenance, [member]: value } } : { provenance, [member]: value };
          await cite(resource).catch((error) => expect(error).toBeInstanceOf(ArchiveError));
        },
      ),
      { numRuns: runs(8, 480) },
    );
  });

  it("with deep nesting throws before any request", async () => {
    const { server, archive } = await pagedArchive({ rows: 3 });
    for (const depth of [100, 100_000]) {
      const dir = folder();
      const deep = "[".repeat(depth) + "]".repeat(depth);
      writeFileSync(join(dir, "datapackage.json"), `{"resources": [], "more": ${deep}, "text": "[[\\"[["}`);
      expect((await errorOf(archive.save("mentions", join(dir, "a.csv"), { query: "x" }), ArchiveError)).code).toBe(
        "FILE_ERROR",
      );
      await expect(readFileProvenance(join(dir, "a.csv"))).rejects.toBeInstanceOf(ArchiveError);
    }
    expect(server.requests).toEqual([]);
    const dir = folder();
    writeFileSync(join(dir, "datapackage.json"), `{"resources": [], "text": ${JSON.stringify('["['.repeat(1000))}}`);
    await archive.save("mentions", join(dir, "a.csv"), { query: "x" });
  });

  it.skipIf(process.platform === "win32")("does not make cite wait for a FIFO, nor read a device", async () => {
    const dir = folder();
    for (const name of ["a.csv", "b.parquet"]) execFileSync("mkfifo", [join(dir, name)]);
    symlinkSync("/dev/zero", join(dir, "c.csv"));
    const resources = ["a.csv", "b.parquet", "c.csv"].map((path) => ({ path, provenance }));
    writeFileSync(join(dir, "datapackage.json"), JSON.stringify({ resources }));
    for (const { path } of resources) {
      expect((await errorOf(citation(join(dir, path)), ArchiveError)).message).toMatch(
        / is a (FIFO|device), not a file/,
      );
    }
    await expect(readFileProvenance(join(dir, "b.pq"))).rejects.toBeInstanceOf(ArchiveError);
  });
});
