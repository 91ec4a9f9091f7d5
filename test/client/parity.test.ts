import { join } from "node:path";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  APIError,
  ArchiveError,
  AuthenticationError,
  NotFoundError,
  RateLimitError,
  saveFrame,
  toCsv,
  toDataFrame,
  ValidationError,
  VERSION,
} from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { errorOf } from "../service/helpers.js";
import { operations } from "../service/operations.js";
import { served } from "./clientTo.js";

it("error classes accept a message alone and have a default code", () => {
  const classes = [ArchiveError, ValidationError, APIError, AuthenticationError, NotFoundError, RateLimitError];
  const errors = classes.map((Class) => new Class("a") as ArchiveError);
  for (const error of errors) expect(error).toBeInstanceOf(ArchiveError);
  for (const error of errors) expect(error.message).toMatch(/^a/);
  expect(errors.map(({ code }) => code).join(" ")).toBe(
    "UNKNOWN INVALID_INPUT HTTP_ERROR AUTHENTICATION NOT_FOUND RATE_LIMITED",
  );
  expect(new ArchiveError().message).toBe("");
});

describe("operations", () => {
  it("are accepted by name and by specification name", async () => {
    const { archive } = await served(() => ({ body: { programs: [{ id: 1 }] } }));
    const options = { query: "x", maxItems: 1 };
    for (const name of ["programsSearch", "programs_search"] as const) {
      expect((await archive.iterRecords(name, options).next()).value).toEqual({ id: 1 });
      const declared = Object.keys(operations.programsSearch.columns);
      expect(toDataFrame([], { operation: name }).columns).toEqual(declared);
    }
    expectTypeOf(archive.iterRecords("programs_search", options)).toEqualTypeOf(
      archive.iterRecords("programsSearch", options),
    );
    const wrong = (name: unknown) => () => archive.iterRecords(name as "people", options);
    expect(wrong(archive.person)).toThrow("invalid operation: a function");
    expect(wrong("programs-search")).toThrow('Did you mean "programsSearch"?');
  });
});

it("null counts as not given, for parameters and options", async () => {
  const { server, archive } = await served(() => ({ body: { mentions: [{ id: "1" }], people: [] } }), {
    timeout: null as never,
    pageSize: null as never,
    snapshot: null as never,
  });
  const nothing = { maxItems: null, format: null, engine: null, signal: null } as object;
  await archive.mentions("x", { limit: null, personid: null, videotype: "Speech", ...nothing });
  expect(server.requests.at(-1)?.url).toBe("/mentions?query=x&videotype=Speech");
  await archive.people(null as never, { last: "Pelosi", first: null });
  expect(server.requests.at(-1)?.url).toBe("/people?last=Pelosi");
  await archive.scan.mentions("x", { mindate: null }).head(1).collect();
  expect(server.requests.at(-1)?.url).not.toContain("mindate");
  // An unknown name is still an error.
  await expect(archive.mentions("x", { videoType: null } as object)).rejects.toThrow("Did you mean videotype?");
  await expect(archive.mentions(null as never)).rejects.toThrow("It is required");
});

it("null counts as not given in the options of scans, files, clients and speeches", async () => {
  const nulls = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, null])) as never;
  const { archive } = await served(
    () => ({ body: { mentions: [{ id: "1" }] } }),
    nulls("timeout maxRetries session concurrency outputFormat engine progress cache"),
  );
  const bounds = "maxItems maxRequests signal";
  const scan = archive.scan.mentions("x", null as never);
  expect(await scan.count(nulls(bounds))).toBe(1);
  expect((await scan.collect(nulls(`${bounds} engine`))).height).toBe(1);
  for await (const frame of scan.batches(nulls(`${bounds} batchSize`))) expect(frame.height).toBe(1);
  expect((await scan.sort("id", nulls("descending nullsLast")).collect()).height).toBe(1);
  await expect(scan.collect(5 as never)).rejects.toThrow("invalid options of a scan: 5. Give an object");
  for (const options of [null as never, nulls("format filename dataPackage bom excelSafe")]) {
    const path = join(temporaryFolder(), "rows.csv");
    expect(await saveFrame(await scan.collect(null as never), path, options)).toBe(path);
    expect(await scan.sink(path, options)).toBe(path);
  }
  expect(toCsv([{ a: 1 }], nulls("columns"))).toBe("a\r\n1\r\n");
  expect(toDataFrame([{ a: 1 }], nulls("engine operation")).columns).toEqual(["a"]);
  const speeches = nulls("format maxItems chamber videotypes");
  expect((await archive.speechesOnBill([{ billtitle: "Tax Act", billnumber: null }], speeches)).height).toBe(0);
});

it("requests that the service rejects are sent with unchecked", async () => {
  const { server, archive } = await served(() => ({ body: { id: 1, title: "t", programs: [] } }));
  const range = "date:[2024-01-01 TO 2024-02-01]";
  for (const refused of [archive.program("535139-1"), archive.programsSearch(range)]) {
    expect((await errorOf(refused, ValidationError)).hint).toContain("{ unchecked: true }");
  }
  expect(() => archive.scan.programsSearch(range)).toThrow("unchecked: true");
  expect(server.requests).toEqual([]);
  await archive.program("535139-1", { unchecked: true });
  expect(server.requests.at(-1)?.url).toBe("/programs/535139-1");
  await archive.programsSearch(range, { unchecked: true, format: "records" });
  await archive.scan.programsSearch(range, { unchecked: true }).head(1).collect();
  for await (const _ of archive.iterRecords("programsSearch", { query: range, unchecked: true })) break;
  for (const { url } of server.requests.slice(1))
    expect(new URL(url, "http://x").searchParams.get("query")).toBe(range);
  await expect(archive.program("x", { unchecked: 1 as never })).rejects.toThrow("invalid unchecked: 1");
});

it("the version is exported", () => {
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+/);
});
