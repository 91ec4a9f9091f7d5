import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  APIError,
  ArchiveError,
  type PolarsFrame,
  pl,
  RateLimitError,
  readFrame,
  saveFrame,
  toDataFrame,
  toRecords,
  ValidationError,
} from "../../src/index.js";
import { mention, queryOf, served } from "../client/clientTo.js";
import { onceAt, pagedArchive } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";
import { operations } from "../service/operations.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { SAVE_FORMATS } from "./formats.js";
import { newFolders, temporaryFolder } from "./temporary.js";
import { readers } from "./written.js";

const root = temporaryFolder();
const folder = newFolders(root);

const QUERY = { query: "climate" };

/** Rows as a service may send them: hostile text, members that come late, values that change their type. */
const hostile = (id: number) =>
  mention(id, {
    text: ['=1+1, "quoted"', "line\r\nbreak", "<script>", " é\u2028\u{1F600}", "", "-", "@x", "'"][id % 8],
    ...(id > 150 ? { late: id / 2 } : {}),
    ...(id === 333 ? { personid: "nobody", tags: ["a", 1], by: { name: "Ann" } } : {}),
    ...(id % 7 === 0 ? { length: null, person: null } : {}),
  });

/** The frame in a file; JSON gives rows as sent, which become a frame as those of a page do. */
function read(path: string): PolarsFrame {
  const format = path.slice(path.lastIndexOf(".") + 1);
  if (format === "parquet" || format === "arrow") return readers[format](readFileSync(path));
  if (format === "csv") return pl.readCSV(path, { inferSchemaLength: 0 });
  const text = readFileSync(path, "utf8");
  const rows =
    format === "json"
      ? (JSON.parse(text) as object[])
      : text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as object]));
  return toDataFrame(rows, { operation: "mentions" });
}

/** The entries of a directory. */
const names = (path: string) => readdirSync(path).sort();

describe("save", () => {
  it.each(["json", "jsonl", "parquet", "arrow"] as const)(
    "writes %s that reads back as the frame of all rows",
    async (format) => {
      for (const row of [mention, hostile]) {
        const { server, archive } = await pagedArchive({ rows: 430, row });
        const out = folder();
        const path = await archive.save("mentions", `${out}/`, { ...QUERY, format });
        expect(path).toBe(join(out, `mentions.${format}`));
        expect(names(out)).toEqual(["datapackage.json", `mentions.${format}`]);
        const asked = server.requests.length;
        expect(asked).toBeLessThanOrEqual(430 / 100 + 1 + 4);
        const frame = await archive.mentions("climate", { maxItems: 1000 });
        const written = read(path);
        expect(written.columns).toEqual(frame.columns);
        expect(written.dtypes.map(String)).toEqual(frame.dtypes.map(String));
        expect(written.toString()).toBe(frame.toString());
        expect(written.frameEqual(frame)).toBe(true);
      }
    },
  );

  it("writes JSON and JSON Lines with the rows exactly as the service sent them", async () => {
    const { archive } = await pagedArchive({ rows: 205, row: hostile });
    const out = folder();
    const sent = [...Array(205).keys()].map((at) => JSON.stringify(hostile(at + 1)));
    const lines = await archive.save("mentions", join(out, "a.jsonl"), QUERY);
    expect(readFileSync(lines, "utf8")).toBe(sent.map((row) => `${row}\n`).join(""));
    const list = await archive.save("mentions", join(out, "a.json"), QUERY);
    expect(readFileSync(list, "utf8")).toBe(`[\n${sent.join(",\n")}\n]\n`);
  });

  it("requests only the first page with paginate: false, and writes its JSON unchanged", async () => {
    const body = '{ "cursor" : "c1",\n "mentions":[ {"id" : "1", "x": 1.50} ] }';
    const { server, archive } = await served(startScriptedServer(() => ({ body })));
    const out = folder();
    const json = await archive.save("mentions", `${out}/`, { ...QUERY, format: "json", paginate: false });
    expect(readFileSync(json, "utf8")).toBe(body);
    expect(toRecords(await readFrame(json))).toEqual([{ id: "1", x: 1.5 }]);
    const lines = await archive.save("mentions", `${out}/`, { ...QUERY, format: "jsonl", paginate: false });
    expect(readFileSync(lines, "utf8")).toBe('{"id" : "1", "x": 1.50}\n');
    expect(server.requests.map(queryOf)).toEqual([QUERY, QUERY]);
  });

  it("stops after maxItems, sends no request with 0, and still has the columns", async () => {
    const { server, archive } = await pagedArchive({ rows: 430 });
    const out = folder();
    for (const format of SAVE_FORMATS) {
      const path = await archive.save("mentions", out, { ...QUERY, format, maxItems: 0 });
      expect(existsSync(path)).toBe(true);
      if (format === "parquet" || format === "arrow" || format === "csv")
        expect(read(path).columns).toEqual(Object.keys(operations.mentions.columns));
    }
    expect(server.requests).toHaveLength(0);
    const path = await archive.save("mentions", out, { ...QUERY, maxItems: 150, format: "parquet" });
    expect(read(path).height).toBe(150);
    expect(archive.lastResult()?.rows).toBe(150);
    expect(server.requests).toHaveLength(2);
  });

  it("writes lookups too", async () => {
    const { archive } = await served(startScriptedServer(() => ({ body: { people: [{ id: 7, name: "Ann" }] } })));
    const path = await archive.save("person", folder(), { id: 7, format: "parquet" });
    expect(path).toMatch(/person\.parquet$/);
    expect(read(path).getColumn("name").toArray()).toEqual(["Ann"]);
  });

  it.each([
    ["bills", "a.csv", { query: "x", formt: "csv" }, /formt.*format/],
    ["bils", "a.csv", { query: "x" }, /Did you mean "bills"/],
    ["mentions", "a.csv", {}, /query/],
    ["mentions", "a.csv", { ...QUERY, maxItems: -1 }, /maxItems/],
    ["mentions", "a.csv", { ...QUERY, paginate: "no" }, /paginate/],
    ["mentions", "a.csv", { ...QUERY, resume: 1 }, /resume/],
    ["person", "a.csv", { id: 7, maxItems: 1 }, /maxItems/],
    ["mentions", "a.csv", { ...QUERY, format: "cvs" }, /Did you mean "csv"/],
  ])("refuses %s to %s with %j before any request", async (operation, name, options, message) => {
    const { server, archive } = await pagedArchive({ rows: 5 });
    const out = folder();
    const error = await errorOf(archive.save(operation as "bills", join(out, name), options as never), ValidationError);
    expect(error.message).toMatch(message);
    expect(server.requests).toHaveLength(0);
    expect(names(out)).toEqual([]);
  });
});

describe("an interrupted save", () => {
  /** A server that fails once, at a row. */
  const failing = (rows: number, at: number, row = mention) => {
    const instead = onceAt(at, { status: 429, headers: { "retry-after": "3600" } });
    return pagedArchive({ rows, row, unnumbered: true, instead });
  };

  it.each(SAVE_FORMATS)(
    "goes on in %s, asks for nothing twice, and gives the bytes of an undisturbed run",
    async (format) => {
      const { server, archive } = await failing(730, 400, hostile);
      const out = folder();
      const old = join(out, `mentions.${format}`);
      writeFileSync(old, "the old file");
      const error = await errorOf(archive.save("mentions", out, { ...QUERY, format }), RateLimitError);
      expect(error.message).toContain(`400 rows are saved in ${old}.partial. Repeat the call with { resume: true }`);
      expect(error.hint).toContain("resume: true");
      expect(error.stack).toContain("resume: true");
      expect(error.partial).toMatchObject({ rows: 400, cursor: "c400" });
      expect(readFileSync(old, "utf8")).toBe("the old file");
      expect(names(join(out, `mentions.${format}.partial`))).toEqual(["responses"]);

      const before = server.requests.length;
      expect(await archive.save("mentions", out, { ...QUERY, format, resume: true })).toBe(old);
      const asked = server.requests.slice(before).map((request) => queryOf(request).cursor);
      expect(asked).toEqual("c400 c500 c600 c700 c730".split(" "));
      const undisturbed = await archive.save("mentions", folder(), { ...QUERY, format });
      expect(readFileSync(old).equals(readFileSync(undisturbed))).toBe(true);
      expect(names(out)).toEqual(["datapackage.json", `mentions.${format}`]);
    },
  );

  it("resumes by default, and starts over with resume: false", async () => {
    for (const [resume, first] of [
      [undefined, "c400"],
      [false, undefined],
    ] as const) {
      const { server, archive } = await failing(430, 400);
      const path = join(folder(), "a.parquet");
      await errorOf(archive.save("mentions", path, QUERY), RateLimitError);
      const before = server.requests.length;
      await archive.save("mentions", path, { ...QUERY, resume });
      expect(queryOf(server.requests[before]).cursor).toBe(first);
      expect(read(path).height).toBe(430);
    }
  });

  it.each([
    ["is HTML", "<p>your key canary-Key</p>"],
    ["has rows that are none", '{"cursor":"c9","mentions":[7]}'],
    ["only looks like JSON", '{"cursor":"c9","mentions":[{"id":"9999","text":"a\tb"}]}'],
  ])("requests a page that %s again", async (_name, body) => {
    const { server, archive } = await pagedArchive({ rows: 430, instead: onceAt(200, { body }) });
    const path = join(folder(), "a.jsonl");
    await errorOf(archive.save("mentions", path, QUERY), APIError);
    await archive.save("mentions", path, QUERY);
    expect(readFileSync(path, "utf8").trim().split("\n")).toHaveLength(430);
    expect(server.requests.filter((request) => queryOf(request).cursor === "c100")).toHaveLength(1);
  });

  it("is not mixed with another search", async () => {
    const { server, archive } = await failing(430, 400);
    const path = join(folder(), "a.parquet");
    await errorOf(archive.save("mentions", path, QUERY), RateLimitError);
    const before = server.requests.length;
    for (const other of [{ query: "budget" }, { ...QUERY, personid: 1 }]) {
      const error = await errorOf(archive.save("mentions", path, other), ArchiveError);
      expect(error.code).toBe("OTHER_SEARCH");
    }
    expect(server.requests).toHaveLength(before);
  });

  it("resumes with another maxItems, which is the same search", async () => {
    const { server, archive } = await failing(430, 400);
    const path = join(folder(), "a.jsonl");
    await errorOf(archive.save("mentions", path, QUERY), RateLimitError);
    const before = server.requests.length;
    await archive.save("mentions", path, { ...QUERY, maxItems: 200 });
    expect(server.requests).toHaveLength(before);
    expect(readFileSync(path, "utf8").trimEnd().split("\n")).toHaveLength(200);
  });

  it("leaves nothing behind if there was no response", async () => {
    const { archive } = await served(startScriptedServer(() => ({ status: 403 })));
    const out = folder();
    const error = await errorOf(archive.save("mentions", join(out, "a.csv"), QUERY), APIError);
    expect(error.message).not.toContain("safe");
    expect(names(out)).toEqual([]);
  });
});

describe("sink", () => {
  const late = pl.col("length").gt(pl.lit(20));

  it.each(SAVE_FORMATS)("writes the rows that the verbs leave, as %s", async (format) => {
    const { archive } = await pagedArchive({ rows: 730, row: (id) => mention(id, { length: id % 40 }) });
    const scan = archive.scan.mentions("climate").filter(late).select("id", "begintime", "length");
    const frame = await scan.collect();
    const path = await scan.sink(join(folder(), `a.${format}`));
    if (format === "parquet" || format === "arrow") expect(read(path).frameEqual(frame)).toBe(true);
    if (format === "csv") expect(read(path).getColumn("id").toArray()).toEqual(frame.getColumn("id").toArray());
    if (format === "jsonl") {
      const first = readFileSync(path, "utf8").split("\n")[0] as string;
      expect(JSON.parse(first)).toEqual({ id: "21", begintime: "2024-04-27T02:35:35Z", length: 21 });
    }
  });

  it("requests no page that it does not need, also when it resumes", async () => {
    const { server, archive } = await pagedArchive({
      rows: 5000,
      row: (id) => mention(id, { length: id % 40 }),
      instead: onceAt(200, { status: 403 }),
    });
    const scan = archive.scan.mentions("climate").filter(late).head(150);
    const path = join(folder(), "a.parquet");
    await errorOf(scan.sink(path), ArchiveError);
    await scan.sink(path, { resume: true });
    expect(read(path).height).toBe(150);
    const cursors = server.requests.map((request) => queryOf(request).cursor);
    expect(cursors).toEqual([undefined, "c100", "c200", "c200", "c300"]);
  });

  it("checks its options", async () => {
    const { archive } = await pagedArchive({ rows: 4 });
    await errorOf(archive.scan.mentions("climate").sink("a.parquet", { maxRequest: 2 } as never), ValidationError);
    await errorOf(archive.scan.mentions("climate").sink("a.parquet", { signal: 5 } as never), ValidationError);
  });
});

describe("a target", () => {
  it("is written by one call at a time", async () => {
    const { archive } = await pagedArchive({ rows: 430 });
    const path = join(folder(), "a.csv");
    const first = archive.save("mentions", path, QUERY);
    const error = await errorOf(archive.save("mentions", path, QUERY), ArchiveError);
    expect(error.code).toBe("TARGET_BUSY");
    await first;
    expect(read(path).height).toBe(430);
    await archive.save("mentions", path, QUERY);
  });

  it("is not taken over from another machine", async () => {
    const { server, archive } = await pagedArchive({ rows: 5 });
    const path = join(folder(), "a.csv");
    mkdirSync(`${path}.partial`, { mode: 0o700 });
    writeFileSync(`${path}.partial/lock`, JSON.stringify({ pid: 1, host: "elsewhere" }));
    const error = await errorOf(archive.save("mentions", path, QUERY), ArchiveError);
    expect(error.message).toContain("process 1 on elsewhere");
    expect(server.requests).toHaveLength(0);
  });

  it("that cannot be written costs no request", async () => {
    const { server, archive } = await pagedArchive({ rows: 5 });
    const out = folder();
    writeFileSync(join(out, "file"), "");
    for (const [path, code] of [
      [join(out, "file", "a.csv"), "NOT_WRITABLE"],
      ["/proc/archive-frames/a.csv", "NOT_WRITABLE"],
      [join(out, `${"x".repeat(300)}.csv`), "NAME_TOO_LONG"],
    ] as const) {
      const error = await errorOf(archive.save("mentions", path, QUERY), ArchiveError);
      expect([error.code, path]).toEqual([code, path]);
    }
    expect(server.requests).toHaveLength(0);
  });
});

describe("saveFrame", () => {
  const frame = pl.DataFrame({ a: ["x", "=1+1", null], b: [1.5, null, 3] });

  it.each(SAVE_FORMATS)("writes a frame of either engine as %s", async (format) => {
    const path = await saveFrame(frame, join(folder(), `a.${format}`));
    if (format === "parquet" || format === "arrow") expect(read(path).frameEqual(frame)).toBe(true);
    if (format === "csv") expect(readFileSync(path, "utf8")).toBe("a,b\r\nx,1.5\r\n=1+1,\r\n,3.0\r\n");
    const danfo = toDataFrame([{ a: "x" }], { engine: "danfo" });
    expect(existsSync(await saveFrame(danfo, folder(), { format }))).toBe(true);
  });

  it("accepts only frames, and leaves nothing behind", async () => {
    const out = folder();
    await errorOf(saveFrame([{ a: 1 }] as never, join(out, "a.csv")), ValidationError);
    await errorOf(saveFrame(frame, join(out, "a.csv"), { bmo: true } as never), ValidationError);
    expect(names(out)).toEqual([]);
  });
});
