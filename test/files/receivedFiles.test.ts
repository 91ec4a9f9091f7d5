import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { citation, citationBibtex, citationText } from "../../src/files/package/citation.js";
import { withParquetMetadata } from "../../src/frames/polarsPlan.js";
import { ArchiveError, concat, methodsOf, pl, provenanceOf, readFrame, saveFrame } from "../../src/index.js";
import { rates } from "../../src/text/index.js";
import { clientTo } from "../client/clientTo.js";
import { displayBundle } from "../notebook/bundles.js";
import { runs } from "../scale.js";
import { pagedArchive, startPagedServer } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";
import { warningsOf } from "../util/warningsOf.js";
import { newFolders, temporaryFolder } from "./temporary.js";

const root = temporaryFolder();
const folder = newFolders(root);

const SEARCH = {
  operation: "mentions",
  parameters: { query: "x" },
  source: "s",
  retrieved: "2026-11-21",
  rows: 1,
  duplicates: 0,
  conflicts: 0,
  verdict: "complete",
  reason: null,
  cursor: null,
  sha256: "ab",
  version: "0.1.0",
};
const PROVENANCE = {
  ...SEARCH,
  sources: [SEARCH, { ...SEARCH, sample: { of: 9, rows: 1, pages: 1, pageRows: null, seed: 1 } }],
  steps: [{ verb: "filter", text: "filtered", rows: [2, 1] }],
  codebook: {
    variables: [{ name: "a", kind: "text", values: [], question: "a", scale: "nominal" }],
    instructions: "",
    hash: "c1",
  },
};

const RESOURCE = {
  path: "a.csv",
  name: "a.csv",
  type: "table",
  bytes: 14,
  provenance: PROVENANCE,
  schema: { fields: [{ name: "id", type: "integer" }], missingValues: [""] },
};

/** All that reads the provenance of a file, or writes it again. */
async function use(path: string): Promise<void> {
  const { provenance } = await citation(path);
  citationText({ file: path, provenance, sha256: "" });
  citationBibtex({ file: path, provenance, sha256: "" });
  const frame = await readFrame(path);
  methodsOf(concat([frame, frame.head(1)]));
  displayBundle(frame.head(1));
  await rates(frame, "tax", { baseline: "own rows" }).catch((error) => expect(error).toBeInstanceOf(ArchiveError));
  await saveFrame(frame, path);
}

describe("a received datapackage.json", () => {
  const received = (resource: unknown) => {
    const dir = folder();
    writeFileSync(join(dir, "a.csv"), "id,text\n1,tax\n");
    writeFileSync(join(dir, "datapackage.json"), JSON.stringify({ resources: [resource] }));
    return join(dir, "a.csv");
  };

  it("with any value in any member is used, or left out with a warning", async () => {
    expect((await warningsOf(() => use(received(RESOURCE)))).warnings).toEqual([]);
    const paths: (string | number)[][] = [];
    const add = (value: unknown, path: (string | number)[]) => {
      paths.push(path);
      if (typeof value !== "object" || value === null) return;
      for (const [name, member] of Object.entries(value)) add(member, [...path, name]);
    };
    add(RESOURCE, []);
    const changed = (value: unknown, [name, ...rest]: (string | number)[], to: unknown): unknown => {
      if (name === undefined) return to;
      if (Array.isArray(value)) return value.map((each, at) => (at === Number(name) ? changed(each, rest, to) : each));
      return { ...(value as object), [name]: changed((value as Record<string, unknown>)[name], rest, to) };
    };
    const hostile = fc.constantFrom<unknown>(
      [],
      {},
      null,
      -1,
      1e300,
      "x".repeat(2e5),
      [null],
      JSON.parse('{"__proto__":1}'),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.oneof(fc.jsonValue(), hostile), async (at, value) => {
        const path = received(changed(RESOURCE, at, value));
        const { warnings } = await warningsOf(() =>
          use(path).catch((error) => expect(error).toBeInstanceOf(ArchiveError)),
        );
        // It was saved again, without a provenance.
        if (warnings.some(([code]) => code === "PROVENANCE_INVALID"))
          expect(provenanceOf(await readFrame(path).catch(() => undefined))).toBeUndefined();
      }),
      { numRuns: runs(60, 2000) },
    );
  });

  it("with deep nesting throws before any request", async () => {
    const { server, archive } = await pagedArchive({ rows: 3 });
    const dir = folder();
    writeFileSync(join(dir, "datapackage.json"), `{"resources": [], "more": ${"[".repeat(1e5)}${"]".repeat(1e5)}}`);
    const error = await errorOf(archive.save("mentions", join(dir, "a.csv"), { query: "x" }), ArchiveError);
    expect([error.code, server.requests]).toEqual(["FILE_ERROR", []]);
  });
});

describe("a received Parquet file", () => {
  let saved: Buffer;
  beforeAll(async () => {
    await using server = await startPagedServer({ rows: 30 });
    await using archive = clientTo(server);
    saved = readFileSync(await archive.save("mentions", join(root, "saved.parquet"), { query: "climate" }));
  });

  const said = async (path: string) => (await citation(path).catch(() => undefined))?.provenance;

  it("with any change is read or refused, with its provenance or none", async () => {
    const change = fc.record({
      at: fc.nat(),
      remove: fc.oneof(fc.constant(1), fc.nat({ max: 40 })),
      insert: fc.oneof(fc.uint8Array({ maxLength: 8 }), fc.constantFrom([0xf9], [0xfc, 0xff, 0xff, 0xff, 0x01], [0])),
    });
    const path = join(root, "received.parquet");
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const bytes = changes.reduce((before, { at, remove, insert }) => {
          // In the pages at the start, but mostly in the metadata at the end.
          const place = at % 4 === 0 ? at % 2000 : Math.max(0, before.length - (at % 3000));
          return Buffer.concat([before.subarray(0, place), Buffer.from(insert), before.subarray(place + remove)]);
        }, saved);
        writeFileSync(path, bytes);
        const { result } = await warningsOf(() => said(path));
        if (result !== undefined) expect(typeof result.rows).toBe("number");
        await warningsOf(() => readFrame(path).catch((error) => expect(error).toBeInstanceOf(ArchiveError)));
      }),
      { numRuns: runs(24, 480) },
    );
  });

  it("has no provenance if its metadata value is something else", async () => {
    const path = join(root, "received.parquet");
    const one = pl.DataFrame({ id: [1] }).lazy();
    for (const note of [JSON.stringify({ ...SEARCH, rows: -1 }), "[".repeat(3000), "{}"]) {
      const padded = note.padEnd(200);
      await withParquetMetadata(one.sinkParquet(path), "archive-frames", padded).collect();
      const { result, warnings } = await warningsOf(() => said(path));
      expect([result, warnings.map(([code]) => code)]).toEqual([undefined, ["PROVENANCE_INVALID"]]);
    }
  });
});
