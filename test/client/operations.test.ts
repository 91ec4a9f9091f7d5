import { describe, expect, it } from "vitest";
import { type ArchiveClient, ValidationError } from "../../src/index.js";
import { errorOf } from "../service/helpers.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { clientTo, served } from "./clientTo.js";

const startEmptyService = () => startScriptedServer(() => ({ body: { cursor: "VQAAeXUBKgA" } }));

const DAYS = { date: "2024-02-29", mindate: "2024-01-01", maxdate: "2024-12-31" } as const;

describe("the six operations", () => {
  const calls: Array<[string, (archive: ArchiveClient) => Promise<unknown>, string]> = [
    ["bills", (a) => a.bills("infra structure"), "/bills?query=infra%20structure"],
    ["bills with a cursor", (a) => a.bills("x", { cursor: "a+b/=" }), "/bills?query=x&cursor=a%2Bb%2F%3D"],
    [
      "mentions with every parameter",
      (a) => a.mentions('"climate change"', { limit: 50, page: 2, personid: 6153, ...DAYS, videotype: "Speech" }),
      "/mentions?query=%22climate%20change%22&limit=50&personid=6153&date=2024-02-29&maxdate=2024-12-31&mindate=2024-01-01&page=2&videotype=Speech",
    ],
    ["people by text", (a) => a.people("Pelosi"), "/people?query=Pelosi"],
    ["people by name", (a) => a.people({ first: "Nancy", last: "Pelosi" }), "/people?first=Nancy&last=Pelosi"],
    ["people by text and name", (a) => a.people("Senator", { last: "Pelosi" }), "/people?query=Senator&last=Pelosi"],
    ["everyone", (a) => a.people(), "/people"],
    ["a person by id", (a) => a.person(6153), "/people/6153"],
    ["a person by public id", (a) => a.person("nancy/pelosi"), "/people/nancy%2Fpelosi"],
    [
      "programs",
      (a) => a.programsSearch("text:climate AND category:Senate", { sort: "date desc" }),
      "/programs/search?query=text%3Aclimate%20AND%20category%3ASenate&sort=date%20desc",
    ],
    [
      "several sorts in any letter case",
      (a) => a.programsSearch("x", { sort: "Date  DESC, popular asc" as never }),
      "/programs/search?query=x&sort=date%20desc%2Cpopular%20asc",
    ],
    ["a program", (a) => a.program("683870", { format: "json" }), "/programs/683870"],
    ["options set to undefined", (a) => a.mentions("x", { limit: undefined, date: undefined }), "/mentions?query=x"],
  ];
  it.each(calls)("%s", async (_name, call, url) => {
    const { server, archive } = await served(startEmptyService());
    await call(archive);
    expect(server.requests.map((request) => request.url)).toEqual([url]);
    expect(server.requests[0]?.method).toBe("GET");
  });
});

describe("invalid input is rejected before any request", () => {
  const faults: Array<[string, (archive: ArchiveClient) => Promise<unknown>, RegExp]> = [
    ["an empty query", (a) => a.bills(""), /invalid query: ""\. Give a non-empty string/],
    ["a query of white space", (a) => a.mentions("  "), /invalid query/],
    ["no query", (a) => a.bills(undefined as never), /invalid query: undefined.*bills\("climate"\)/],
    ["an empty name", (a) => a.people({ last: "" }), /invalid last: ""/],
    [
      "a day that does not exist",
      (a) => a.mentions("x", { date: "2023-02-29" }),
      /invalid date: "2023-02-29"\. This day does not exist/,
    ],
    ["a date in another form", (a) => a.mentions("x", { mindate: "1/2/2024" }), /yyyy-mm-dd/],
    [
      "a window that ends before it begins",
      (a) => a.mentions("x", { mindate: "2024-02-01", maxdate: "2024-01-01" }),
      /is after maxdate/,
    ],
    [
      "a date outside of its days",
      (a) => a.mentions("x", { date: "2024-01-05", mindate: "2024-02-01" }),
      /invalid date: "2024-01-05"\. It is outside of mindate and maxdate/,
    ],
    ["limit 0", (a) => a.mentions("x", { limit: 0 }), /invalid limit: 0\. Give a whole number from 1/],
    ["half a page", (a) => a.mentions("x", { page: 1.5 }), /invalid page: 1\.5/],
    [
      "a sort without a direction",
      (a) => a.programsSearch("x", { sort: "date" as never }),
      /with a direction.*"date desc"/,
    ],
    ["a sort by one key twice", (a) => a.programsSearch("x", { sort: "date desc,date asc" as never }), /each once/],
    ["an unknown sort", (a) => a.programsSearch("x", { sort: "title asc" as never }), /popular or date/],
    ["an empty id", (a) => a.person(" "), /invalid id/],
    ["an id that is a step in a path", (a) => a.person(".."), /invalid id/],
    ["a negative id", (a) => a.program(-1), /invalid id: -1/],
    ["a public program id", (a) => a.program("556839-1"), /public id.*numeric id/],
    ["a program id in words", (a) => a.program("abc"), /numeric id of a program/],
    [
      "a range of dates",
      (a) => a.programsSearch("date:[2024-01-01 TO 2024-12-31]"),
      /sort: "date desc".*mindate and maxdate/,
    ],
    ["a range in braces", (a) => a.programsSearch("text:x AND +date:{2024 TO *]"), /fails on date ranges/],
    ["a range in a group", (a) => a.programsSearch("date:(2023 OR [2024 TO 2025])"), /fails on date ranges/],
    [
      "an unknown option",
      (a) => a.mentions("x", { videoType: "Speech" } as never),
      /"videoType"\. Did you mean videotype\?/,
    ],
    ["an option of another operation", (a) => a.bills("x", { limit: 5 } as never), /invalid option of bills: "limit"/],
    ["maxItems of a lookup", (a) => a.person(1, { maxItems: 5 } as never), /invalid option of person: "maxItems"/],
    ["an unknown format", (a) => a.bills("x", { format: "cvs" as never }), /Did you mean "csv"\?/],
    ["an unknown engine", (a) => a.bills("x", { engine: "pandas" as never }), /invalid engine: "pandas"/],
    ["maxItems that is no count", (a) => a.bills("x", { maxItems: -1 }), /invalid maxItems: -1/],
    ["a query given twice", (a) => a.people("x", { query: "y" } as never), /given twice/],
    ["options that are no object", (a) => a.bills("x", "csv" as never), /Give an object/],
    ["a signal that is none", (a) => a.bills("x", { signal: {} as never }), /invalid signal/],
  ];
  it.each(faults)("%s", async (_name, call, message) => {
    const { server, archive } = await served(startEmptyService());
    const error = await errorOf(call(archive), ValidationError);
    expect(error.message).toMatch(message);
    expect(error.code).toBe("INVALID_INPUT");
    expect(server.requests).toHaveLength(0);
  });

  it("a phrase that merely looks like a date range is sent", async () => {
    const { server, archive } = await served(startEmptyService());
    await archive.programsSearch('text:"date:[a TO b]" AND update:[1 TO 2]');
    expect(server.requests).toHaveLength(1);
  });

  it("iterRecords checks its arguments when called, and accepts only searches", () => {
    const archive = clientTo({ baseUrl: "http://127.0.0.1:9" });
    expect(() => archive.iterRecords("person" as "people", {})).toThrow(/invalid operation: "person"/);
    expect(() => archive.iterRecords("mentions", { query: "" })).toThrow(ValidationError);
    expect(() => archive.iterRecords("mentions", { query: "x", format: "csv" } as never)).toThrow(/invalid option/);
  });
});
