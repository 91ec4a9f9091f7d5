import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { citation } from "../../src/files/package/citation.js";
import type { FileResource } from "../../src/files/package/fileResource.js";
import {
  ArchiveError,
  methodsOf,
  openArchive,
  type Provenance,
  pl,
  provenanceOf,
  readFrame,
  saveFrame,
  ValidationError,
  valueCounts,
} from "../../src/index.js";
import { setProvenance } from "../notebook/display/provenance.js";
import { LONG } from "../scale.js";
import { pagedArchive } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";
import { SAVE_FORMATS } from "./formats.js";
import { brokenRules } from "./packageRules.js";
import { sha256Of } from "./sha256Of.js";
import { newFolders, temporaryFolder } from "./temporary.js";
import { duck } from "./written.js";

const root = temporaryFolder();
const folder = newFolders(root);

const QUERY = { query: "climate" };

const textOf = (dir: string) => readFileSync(join(dir, "datapackage.json"), "utf8");
const packageOf = (dir: string) => JSON.parse(textOf(dir)) as { resources: FileResource[]; [member: string]: unknown };
const namesIn = (dir: string) => readdirSync(dir).sort();

/** The only resource of a directory, in a valid package. */
function onlyResource(dir: string): FileResource {
  const found = packageOf(dir);
  expect(brokenRules(found)).toEqual([]);
  expect(found.resources).toHaveLength(1);
  return found.resources[0] as FileResource;
}

describe("datapackage.json", () => {
  it.each(SAVE_FORMATS)("describes what save, sink and saveFrame write as %s", async (format) => {
    const { server, archive } = await pagedArchive({ rows: 130, most: 50 });
    const ways: Record<string, (path: string) => Promise<string>> = {
      save: (path) => archive.save("mentions", path, QUERY),
      sink: (path) => archive.scan.mentions("climate").select("id", "begintime", "length").sink(path),
      saveFrame: async (path) => saveFrame(await archive.mentions("climate", { maxItems: 200 }), path),
    };
    for (const [way, write] of Object.entries(ways)) {
      const dir = folder();
      const path = join(dir, `a.${format}`);
      await write(path);
      const resource = onlyResource(dir);
      const text = format === "csv" || format.startsWith("json");
      expect(resource).toMatchObject({
        name: `a.${format}`,
        path: `a.${format}`,
        type: "table",
        format,
        bytes: readFileSync(path).length,
        hash: `sha256:${sha256Of(path)}`,
        sources: [{ title: "Archive Search Service", path: server.baseUrl }],
        provenance: {
          operation: "mentions",
          parameters: QUERY,
          rows: 130,
          verdict: "complete",
          retrieved: new Date().toISOString().slice(0, 10),
        },
      });
      expect(textOf(dir), way).not.toContain(root);
      expect(resource.encoding, way).toBe(text ? "utf-8" : undefined);
      const asSent = way === "save" && format.startsWith("json");
      expect(resource.schema?.fieldsMatch, way).toBe(asSent ? "partial" : undefined);
      const types = Object.fromEntries(resource.schema?.fields.map(({ name, type }) => [name, type]) ?? []);
      expect(types, way).toMatchObject({ id: "string", begintime: "datetime", length: "integer" });
      if (format !== "xlsx")
        expect(provenanceOf(await readFrame(path))).toMatchObject({ parameters: QUERY, rows: 130 });
    }
  });

  it("replaces the description of a file in place, and preserves those of others", async () => {
    const dir = folder();
    const other = { name: "codebook", path: "codebook.pdf", custom: [1] };
    const inline = { name: "inline", data: [1, 2] };
    writeFileSync(
      join(dir, "datapackage.json"),
      `\uFEFF${JSON.stringify({ title: "Mine", resources: [other, inline], x: { y: 1 } })}`,
    );
    const path = join(dir, "a.csv");
    await saveFrame(pl.DataFrame({ a: [1] }), path);
    await saveFrame(pl.DataFrame({ b: [1] }), join(dir, "b.csv"));
    await saveFrame(pl.DataFrame({ a: [1, 2, 3] }), path);
    const found = packageOf(dir);
    expect(found).toMatchObject({ title: "Mine", x: { y: 1 } });
    expect(found.resources.slice(0, 2)).toEqual([other, inline]);
    expect(found.resources.slice(2).map(({ path: of, hash }) => [of, hash])).toEqual([
      ["a.csv", `sha256:${sha256Of(path)}`],
      ["b.csv", `sha256:${sha256Of(join(dir, "b.csv"))}`],
    ]);
  });

  it("gives each file a unique name, even if the allowed characters are the same", async () => {
    const dir = folder();
    const frame = pl.DataFrame({ i: [1n], d: [new Date(0)], l: [[1, 2]], s: [{ a: 1 }], b: [true] });
    const files = ["A b.csv", "a-b.csv", "a b.csv", "ä b.csv", "=x.csv", "ö b.csv", "%2e.csv", "a'b\"<c>.csv"];
    for (const _again of [1, 2]) {
      for (const file of files) await saveFrame(frame, join(dir, file));
      const found = packageOf(dir);
      expect(brokenRules(found)).toEqual([]);
      expect(found.resources.map(({ path }) => path).sort()).toEqual([...files].sort());
    }
  });

  it("has all files of two processes that save concurrently", async () => {
    const FILES = LONG ? 80 : 30;
    const dir = folder();
    const files = [...Array(FILES).keys()].map((number) => `${number}.csv`);
    const script = fileURLToPath(new URL("saveMany.mjs", import.meta.url));
    const children = [files.slice(0, FILES / 2), files.slice(FILES / 2)].map((own) =>
      spawn(process.execPath, [script, dir, ...own], { stdio: ["pipe", "pipe", "inherit"] }),
    );
    await Promise.all(children.map(({ stdout }) => once(stdout, "data")));
    for (const { stdin } of children) stdin.write("now\n");
    await Promise.all(children.map((child) => once(child, "close")));
    const found = packageOf(dir);
    expect(found.resources.map(({ path }) => path).sort()).toEqual([...files].sort());
    expect(brokenRules(found)).toEqual([]);
    expect(namesIn(dir)).toEqual([...files, "datapackage.json"].sort());
  });

  it("describes a response body without a schema", async () => {
    const { archive } = await pagedArchive({ rows: 3 });
    const dir = folder();
    await archive.save("mentions", join(dir, "a.json"), { ...QUERY, paginate: false });
    const { type, schema, provenance } = onlyResource(dir);
    expect([type, schema, provenance?.rows]).toEqual([undefined, undefined, 3]);
  });

  it("is not written with dataPackage: false", async () => {
    const dir = folder();
    writeFileSync(join(dir, "datapackage.json"), "not mine");
    await saveFrame(pl.DataFrame({ a: [1] }), join(dir, "a.csv"), { dataPackage: false });
    expect(namesIn(dir)).toEqual(["a.csv", "datapackage.json"]);
    expect(textOf(dir)).toBe("not mine");
    const wrong = saveFrame(pl.DataFrame({ a: [1] }), join(dir, "a.csv"), { dataPackage: "no" as never });
    expect((await errorOf(wrong, ValidationError)).parameter).toBe("dataPackage");
  });

  it.each([["not mine"], ["[]"], ['{"name": "x"}'], ['{"resources": [null]}'], [""], [undefined]])(
    "that is no data package throws before any request: %s",
    async (content) => {
      const { server, archive } = await pagedArchive({ rows: 3 });
      const dir = folder();
      const place = join(dir, "datapackage.json");
      if (content === undefined) mkdirSync(place);
      else writeFileSync(place, content);
      for (const save of [
        () => archive.save("mentions", join(dir, "a.csv"), QUERY),
        () => archive.scan.mentions("climate").sink(join(dir, "a.parquet")),
        () => saveFrame(pl.DataFrame({ a: [1] }), join(dir, "a.csv")),
      ]) {
        const error = await errorOf(save(), ArchiveError);
        expect(error.message).toContain("datapackage.json is not a data package");
        expect(error.message).toContain("{ dataPackage: false }");
        expect(error.path).toBe(place);
      }
      expect(server.requests).toHaveLength(0);
      expect(namesIn(dir)).toEqual(["datapackage.json"]);
      const { hint } = await errorOf(readFrame(join(dir, "a.csv")), ArchiveError);
      expect(hint).toBe("Move it away, or correct it.");
    },
  );

  it("cannot be the name of a saved file", async () => {
    const { server, archive } = await pagedArchive({ rows: 3 });
    const path = join(folder(), "datapackage.json");
    for (const save of [archive.save("mentions", path, QUERY), saveFrame(pl.DataFrame({ a: [1] }), path)])
      expect((await errorOf(save, ValidationError)).message).toContain("datapackage.json");
    expect(server.requests).toHaveLength(0);
    await archive.save("mentions", path, { ...QUERY, dataPackage: false });
    expect(JSON.parse(readFileSync(path, "utf8"))).toHaveLength(3);
  });

  it("is next to the destination of a link, and found through the link", async () => {
    const [dir, links] = [folder(), folder()];
    writeFileSync(join(dir, "real.csv"), "old");
    symlinkSync(join(dir, "real.csv"), join(links, "link.csv"));
    const { archive } = await pagedArchive({ rows: 3 });
    await archive.save("mentions", join(links, "link.csv"), QUERY);
    expect(onlyResource(dir)).toMatchObject({ path: "real.csv", hash: `sha256:${sha256Of(join(dir, "real.csv"))}` });
    expect([namesIn(links), lstatSync(join(links, "link.csv")).isSymbolicLink()]).toEqual([["link.csv"], true]);
    expect(provenanceOf(await readFrame(join(links, "link.csv")))).toMatchObject({ operation: "mentions", rows: 3 });
  });
});

describe("a parquet file", () => {
  it("contains its provenance, also for DuckDB", async () => {
    const { archive } = await pagedArchive({ rows: 130, most: 50 });
    const dir = folder();
    const path = join(dir, "a.parquet");
    await archive.save("mentions", path, QUERY);
    // Another program may describe the file without its provenance.
    const description = join(dir, "datapackage.json");
    const described = JSON.parse(readFileSync(description, "utf8"));
    for (const resource of described.resources) delete resource.provenance;
    writeFileSync(description, JSON.stringify(described));
    expect(provenanceOf(await readFrame(path))).toMatchObject({ operation: "mentions", rows: 130 });
    rmSync(description);
    const { rows } = await duck(
      `select decode(value) from parquet_kv_metadata('${path}') where decode(key) = 'archive-frames'`,
    );
    const said = JSON.parse(rows[0]?.[0] as string);
    expect(said).toMatchObject({ operation: "mentions", parameters: QUERY, rows: 130, verdict: "complete" });
    expect(said.retrieved).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect((await citation(path)).provenance).toEqual(said);
  });
});

it("two files of one search say it once each, and long histories are cut", async () => {
  await using archive = await openArchive({ announce: false });
  const dir = folder();
  const speeches = await archive.speechesOnBill({ number: "H.R. 3684", congress: 117 });
  await saveFrame(speeches, join(dir, "speeches.csv"));
  await saveFrame(valueCounts(speeches, "name"), join(dir, "names.csv"));
  expect(textOf(dir).length).toBeLessThan(10_000);
  let long = speeches;
  for (let length = 0; length < 150; length++) long = long.filter(pl.col("length").gt(-length));
  const searches = Array.from({ length: 120 }, (_, at) => {
    return setProvenance(speeches.clone(), { ...(provenanceOf(speeches) as Provenance), sources: undefined, rows: at });
  });
  const path = await saveFrame(pl.concat([long, ...searches]).head(9), join(dir, "long.csv"));
  const { provenance } = packageOf(dir).resources.at(-1) ?? {};
  expect([provenance?.sources?.length, provenance?.steps?.length]).toEqual([100, 100]);
  const methods = methodsOf(await readFrame(path));
  expect(methods).toMatch(/combined with the rows of 21 further searches.* passed through \d+ further steps/);
});
