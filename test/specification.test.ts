/**
 * One test per sentence of sections 4 to 8 of the interface specification: those on the service against the embedded archive, over plain
 * HTTP, those on the client against scripted servers. None of them may ever be deleted.
 */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { clientSettings } from "../src/call/clientContext.js";
import {
  APIError,
  ArchiveClient,
  ArchiveError,
  AuthenticationError,
  NotFoundError,
  openArchive,
  RateLimitError,
  toCsv,
  toDataFrame,
  toJsonl,
  toRecords,
  ValidationError,
} from "../src/index.js";
import { mention, queryOf, served } from "./client/clientTo.js";
import { ask, column, embeddedArchive, followCursor, rowsOf } from "./embedded/support.js";
import { temporaryFolder } from "./files/temporary.js";
import { errorOf, KEY } from "./service/helpers.js";
import { startScriptedServer } from "./service/scriptedServer.js";

const archive = await embeddedArchive();
const folder = temporaryFolder();
const SEARCHES = [
  ["/bills", "bills", { query: "budget" }],
  ["/mentions", "mentions", { query: "climate insurers" }],
  ["/people", "people", { query: "senator" }],
  ["/programs/search", "programs", { query: "category:Forum" }],
] as const;

/** Pages of two bills, five in all, with a cursor on each. */
const pages = (total = 5) =>
  startScriptedServer((request) => {
    const from = Number(queryOf(request).cursor ?? 0);
    const bills = Array.from({ length: Math.min(2, total - from) }, (_, at) => ({ id: from + at, billtitle: "x" }));
    return { body: { cursor: String(from + bills.length), ...(bills.length > 0 && { bills }) } };
  });

describe("4. Endpoints", () => {
  test.each([
    ["/bills", { query: "budget" }],
    ["/mentions", { query: "budget" }],
    ["/people", { query: "senator" }],
    ["/people/6153", {}],
    ["/programs/search", { query: "climate" }],
    ["/programs/683870", {}],
  ])("%s: uses GET, parameters in the query string, and returns JSON", async (path, query) => {
    const { status, headers, body } = await ask(archive, path, query);
    expect([status, typeof body]).toEqual([200, "object"]);
    expect(headers.get("content-type")).toContain("application/json");
    const refused = await fetch(`${archive.baseUrl}${path}`, {
      method: "POST",
      headers: { "x-api-key": archive.apiKey },
    });
    expect(refused.status).toBe(405);
  });

  test.each(["/bills", "/mentions", "/programs/search"])("%s: query is required", async (path) => {
    expect((await ask(archive, path)).status).toBe(400);
  });

  test("/people: query is optional", async () => {
    expect(rowsOf((await ask(archive, "/people")).body, "people")).toHaveLength(20);
  });
});

describe("4.2 GET /mentions", () => {
  const all = (more: object = {}) =>
    followCursor(archive, "/mentions", "mentions", { query: "climate", mindate: "2024-01-01", limit: 500, ...more });
  const days = async (more: object) => (await all(more)).rows.map(({ begintime }) => String(begintime).slice(0, 10));

  test("query: word or phrase to search for", async () => {
    const { rows } = await all({ query: '"climate change"' });
    expect(rows.length).toBeGreaterThan(10);
    for (const { text } of rows) expect(text).toMatch(/climate\s+change/i);
  });

  test("limit: number of results to return", async () => {
    expect(rowsOf((await ask(archive, "/mentions", { query: "climate", limit: 7 })).body, "mentions")).toHaveLength(7);
  });

  test("personid: only results spoken by this person ID", async () => {
    const { rows } = await all({ personid: 6153 });
    expect(rows.length).toBeGreaterThan(10);
    expect(new Set(column(rows, "personid"))).toEqual(new Set([6153]));
  });

  test("date: only results spoken on this date", async () => {
    const [day] = await days({});
    expect(new Set(await days({ date: day }))).toEqual(new Set([day]));
  });

  test("maxdate, mindate: only results on or before, on or after this date", async () => {
    const every = await days({});
    const [last, first] = [every[50] as string, every[150] as string];
    expect(await days({ mindate: first, maxdate: last })).toEqual(every.filter((day) => day >= first && day <= last));
  });

  test("page: page number", async () => {
    const page = async (more: object) =>
      column(rowsOf((await ask(archive, "/mentions", { query: "climate", ...more })).body, "mentions"), "id");
    expect(await page({ page: 2 })).toEqual((await page({ limit: 40 })).slice(20));
  });

  test.each([
    ["Speech", 16],
    ["Debate", 18],
  ])("videotype: only results of this video type: %s", async (videotype, videoTypeId) => {
    expect(new Set(column((await all({ videotype })).rows, "videoTypeId"))).toEqual(new Set([videoTypeId]));
  });
});

describe("4.3 GET /people", () => {
  test.each([
    [
      "query",
      "name or title",
      "U.S. Senator",
      ({ title }: Record<string, unknown>) => String(title).includes("U.S. Senator"),
    ],
    ["first", "first name", "maria", ({ firstName }: Record<string, unknown>) => firstName === "maria"],
    ["last", "last name", "pelosi", ({ lastName }: Record<string, unknown>) => lastName === "pelosi"],
  ])("%s: %s to match", async (name, _what, value, holds) => {
    const rows = rowsOf((await ask(archive, "/people", { [name]: value })).body, "people");
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((row) => !holds(row))).toEqual([]);
  });
});

describe("4.4 GET /people/{personId}", () => {
  test("internal or public person ID; returns one person payload", async () => {
    const { body } = await ask(archive, "/people/6153");
    const [{ publicId } = {}] = rowsOf(body, "people");
    expect(rowsOf(body, "people")).toHaveLength(1);
    expect((await ask(archive, `/people/${publicId}`)).body).toEqual(body);
  });

  test("an unknown ID returns HTTP 200 with an empty payload, not 404", async () => {
    const { status, body } = await ask(archive, "/people/1");
    expect([status, body]).toEqual([200, {}]);
  });

  test("a caller must inspect the payload: the client returns no row", async () => {
    await using client = new ArchiveClient({ baseUrl: archive.baseUrl, apiKey: archive.apiKey });
    expect((await client.person(1)).height).toBe(0);
  });
});

describe("4.5 GET /programs/search", () => {
  test.each("abstract category date format isbn location person personid series sponsor subject tag text".split(" "))(
    "query: Lucene query string with the field %s",
    async (field) => {
      expect((await ask(archive, "/programs/search", { query: `${field}:x` })).status).toBe(200);
    },
  );

  test("another field is refused", async () => {
    expect((await ask(archive, "/programs/search", { query: "speaker:x" })).status).toBe(400);
  });

  test.each([
    ["date desc", -1],
    ["date asc", 1],
  ])("sort: date with a direction: %s", async (sort, direction) => {
    const { rows } = await followCursor(archive, "/programs/search", "programs", { query: "category:Forum", sort });
    const dates = column(rows, "date") as string[];
    expect(dates).toEqual([...dates].sort((a, b) => direction * (a < b ? -1 : a > b ? 1 : 0)));
  });

  test("sort: popular with a direction", async () => {
    const ids = async (sort: string) =>
      column((await followCursor(archive, "/programs/search", "programs", { query: "tag:statue", sort })).rows, "id");
    expect(await ids("popular asc")).toEqual((await ids("popular desc")).reverse());
  });

  test.each(["date:[2020-01-01 TO 2021-01-01]", "climate AND date:[2020 TO *]"])(
    "a bracketed range with TO returns HTTP 500: %s",
    async (query) => {
      expect((await ask(archive, "/programs/search", { query })).status).toBe(500);
    },
  );

  test("the client refuses a range before any request, and says what to do", async () => {
    const { server, archive: client } = await served(() => ({ body: {} }));
    const error = await errorOf(client.programsSearch("date:[2020-01-01 TO 2021-01-01]"), ValidationError);
    expect(error.message).toMatch(/sort/);
    expect(server.requests).toEqual([]);
  });
});

describe("4.6 GET /programs/{videoId}", () => {
  test("the numeric program ID returns one flat program payload", async () => {
    const { status, body } = await ask(archive, "/programs/683870");
    expect([status, body.id, Array.isArray(body.programs)]).toEqual([200, 683870, false]);
  });

  test("a public ID string is rejected with HTTP 400", async () => {
    const { body } = await ask(archive, "/programs/683870");
    expect((await ask(archive, `/programs/${body.publicId}`)).status).toBe(400);
  });
});

describe("4.7 Common behaviour", () => {
  test.each(SEARCHES)("1. %s carries a cursor, which fetches the next page", async (path, member, query) => {
    const first = await ask(archive, path, query);
    const second = await ask(archive, path, { ...query, cursor: String(first.body.cursor) });
    const ids = [first, second].flatMap(({ body }) => column(rowsOf(body, member), "id"));
    expect(rowsOf(second.body, member).length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each(SEARCHES)("2. a search of %s that matches nothing returns only a cursor and no rows", async (path) => {
    expect(Object.keys((await ask(archive, path, { query: "zzzznothing" })).body)).toEqual(["cursor"]);
  });

  test("2. the client treats this as an empty result set, never as a row", async () => {
    const { archive: client } = await served(() => ({ body: { cursor: "VQAAeXUBKgA" } }));
    expect((await client.bills("x")).height).toBe(0);
    expect(await client.bills("x", { format: "records" })).toEqual([]);
    expect(toRecords({ cursor: "VQAAeXUBKgA" })).toEqual([]);
  });

  test("3. /mentions also supports page-number paging through page and limit", async () => {
    const { rows } = await followCursor(archive, "/mentions", "mentions", { query: "climate insurers" });
    const paged = [];
    for (let page = 1; paged.length < rows.length; page++) {
      const { body } = await ask(archive, "/mentions", { query: "climate insurers", page, limit: 30 });
      paged.push(...rowsOf(body, "mentions"));
    }
    expect(paged).toEqual(rows);
  });
});

describe("4.8 Reference client behaviour", () => {
  test("options and their defaults", () => {
    const { timeout, maxRetries, backoffFactor, session, baseUrl } = clientSettings({ apiKey: KEY });
    expect({ timeout, maxRetries, backoffFactor, session }).toEqual({
      timeout: 30,
      maxRetries: 3,
      backoffFactor: 0.5,
      session: undefined,
    });
    expect(baseUrl).toMatch(/\/2\.0$/);
  });

  test("the six methods take the parameters of their endpoints", async () => {
    const { server, archive: client } = await served(() => ({ body: {} }));
    const window = { date: "2024-01-01", mindate: "2024-01-01", maxdate: "2024-01-02" };
    await client.bills("a", { cursor: "c" });
    await client.mentions("b", { limit: 5, personid: 7, page: 2, videotype: "Speech", ...window });
    await client.people("d", { first: "e", last: "f", cursor: "g" });
    await client.person(6153);
    await client.programsSearch("h", { cursor: "i", sort: "date desc" });
    await client.program(683870);
    const sent = server.requests.map((request) => [new URL(request.url, "http://x").pathname, queryOf(request)]);
    expect(sent).toEqual([
      ["/bills", { query: "a", cursor: "c" }],
      ["/mentions", { query: "b", limit: "5", personid: "7", page: "2", videotype: "Speech", ...window }],
      ["/people", { query: "d", first: "e", last: "f", cursor: "g" }],
      ["/people/6153", {}],
      ["/programs/search", { query: "h", cursor: "i", sort: "date desc" }],
      ["/programs/683870", {}],
    ]);
    expect(server.requests.every(({ method }) => method === "GET")).toBe(true);
  });

  test("output formats: json, records, csv, dataframe; format overrides the default of the client for one call", async () => {
    const body = { cursor: "c", bills: [{ id: 1, billtitle: "x" }] };
    const { archive: client } = await served(() => ({ body }), { outputFormat: "json" });
    expect(await client.bills("x")).toEqual(body);
    expect(await client.bills("x", { format: "records" })).toEqual(body.bills);
    expect(await client.bills("x", { format: "csv" })).toMatch(/^id,.*\r\n1,/);
    expect((await client.bills("x", { format: "dataframe" })).getColumn("id").toArray()).toEqual([1]);
    expect(await client.bills("x")).toEqual(body);
  });

  describe("iter_records", () => {
    test.each([
      ["bills", "bills"],
      ["mentions", "mentions"],
      ["people", "people"],
      ["programs_search", "programs"],
    ] as const)("yields rows of %s as dicts across pages, following the cursor", async (operation, member) => {
      const { archive: client } = await served((_, at) => ({
        body: at < 2 ? { cursor: `c${at}`, [member]: [{ id: at }] } : { cursor: "c2" },
      }));
      const rows = [];
      for await (const row of client.iterRecords(operation, { query: "x" })) rows.push(row);
      expect(rows).toEqual([{ id: 0 }, { id: 1 }]);
    });

    test("forces JSON internally, whatever the format of the client", async () => {
      const { archive: client } = await served(pages(), { outputFormat: "csv" });
      const { value } = await client.iterRecords("bills", { query: "x" }).next();
      expect(value).toEqual({ id: 0, billtitle: "x" });
    });

    test.each([0, 1, 2, 3])("stops after max_items rows: %i", async (maxItems) => {
      const { server, archive: client } = await served(pages());
      const ids = [];
      for await (const { id } of client.iterRecords("bills", { query: "x", maxItems })) ids.push(id);
      expect(ids).toEqual([0, 1, 2].slice(0, maxItems));
      expect(server.requests).toHaveLength(Math.ceil(maxItems / 2));
    });

    test("a lookup is no endpoint of it", async () => {
      const { archive: client } = await served(pages());
      expect(() => client.iterRecords("person" as never, {} as never)).toThrow(ValidationError);
    });
  });

  describe("save", () => {
    const target = (name: string) => join(folder, name);

    test.each(["csv", "json", "jsonl", "xlsx", "parquet"] as const)(
      "writes results in the format %s and returns the path; in a directory the file is <endpoint>.<ext>",
      async (format) => {
        const { archive: client } = await served(pages());
        const path = await client.save("bills", target(`out-${format}`) + sep, { query: "x", format });
        expect(path).toBe(join(target(`out-${format}`), `bills.${format}`));
        expect(existsSync(path)).toBe(true);
      },
    );

    test("dest: a file path, whose default format is csv", async () => {
      const { archive: client } = await served(pages());
      mkdirSync(target("there"));
      expect(await client.save("bills", target("there"), { query: "x" })).toBe(join(target("there"), "bills.csv"));
      expect(await client.save("bills", target("rows.csv"), { query: "x" })).toBe(target("rows.csv"));
      expect(readFileSync(target("rows.csv"), "utf8").trimEnd().split("\r\n")).toHaveLength(6);
    });

    test("filename names the file in a directory", async () => {
      const { archive: client } = await served(pages());
      const path = await client.save("bills", target("named/"), { query: "x", filename: "budget.csv" });
      expect(path).toBe(join(target("named"), "budget.csv"));
    });

    test("with paginate false only the first page is written", async () => {
      const { server, archive: client } = await served(pages());
      const path = await client.save("bills", target("first.json"), { query: "x", paginate: false });
      expect(JSON.parse(readFileSync(path, "utf8")).bills).toHaveLength(2);
      expect(server.requests).toHaveLength(1);
    });

    test("max_items caps the rows", async () => {
      const { archive: client } = await served(pages());
      const path = await client.save("bills", target("capped.jsonl"), { query: "x", maxItems: 3 });
      expect(readFileSync(path, "utf8").trimEnd().split("\n")).toHaveLength(3);
    });
  });

  describe("speeches_on_bill", () => {
    const BILL = { title: "Tax Act", number: "S. 9", congress: 117 } as const;
    const TEXT = "WE DEBATE THE TAX ACT, S. 9, TODAY.";
    const titles: Record<number, string> = { 7: "U.S. Senator", 8: "Former Senator", 9: "U.S. Representative" };
    const TYPES: Readonly<Record<string, number>> = { Speech: 16, Debate: 18, Hearing: 9 };
    /** Ann (7) has a speech, Ben (8) a speech and a debate, Cy (9), no senator, a speech; and Ann has a hearing. */
    const ROWS = [
      [7, "Speech"],
      [8, "Speech"],
      [8, "Debate"],
      [9, "Speech"],
      [7, "Hearing"],
    ].map(([personid, type], at) => mention(at, { personid, text: TEXT, videoTypeId: TYPES[String(type)] }));
    const speechService = () =>
      startScriptedServer((request) => {
        const [, table, id] = request.url.split(/[/?]/);
        if (table === "people" && /^\d+$/.test(id ?? "")) {
          const name = { 7: "Ann", 8: "Ben", 9: "Cy" }[Number(id)];
          return { body: { people: [{ id: Number(id), name, title: titles[Number(id)] }] } };
        }
        const { cursor, videotype, query, limit = "20" } = queryOf(request);
        const rows = (ROWS as Array<{ videoTypeId: number }>).filter(
          ({ videoTypeId }) => videotype === undefined || videoTypeId === TYPES[videotype],
        );
        const isFound = query === '"Tax Act"' && cursor === undefined && rows.length > 0;
        return { body: { cursor: "c", ...(isFound && { mentions: rows.slice(0, Number(limit)) }) } };
      });
    const senatorsOf = async (more: object = {}) => {
      const { server, archive: client } = await served(speechService());
      return { server, result: await client.speechesOnBill({ ...BILL, ...more, format: "json" }) };
    };
    const searches = (server: Awaited<ReturnType<typeof speechService>>) =>
      server.requests.filter(({ url }) => url.startsWith("/mentions")).map(queryOf);

    test("searches mentions for the bill title and number", async () => {
      const queries = searches((await senatorsOf()).server).map(({ query }) => query);
      expect(queries).toEqual(expect.arrayContaining(['"Tax Act"', '"S. 9"']));
    });

    test.each([
      [["Debate"], [["Ben", 1]]],
      [
        ["Speech"],
        [
          ["Ann", 1],
          ["Ben", 1],
        ],
      ],
      [
        undefined,
        [
          ["Ben", 2],
          ["Ann", 1],
        ],
      ],
    ])("keeps only the given video types, by default Speech and Debate: %j", async (videotypes, expected) => {
      const { senators } = (await senatorsOf({ videotypes })).result;
      expect(senators.map(({ name, speeches }) => [name, speeches.length])).toEqual(expected);
    });

    test('keeps speakers whose person title contains "Senator", sorted by speech count descending, then by name', async () => {
      const { result } = await senatorsOf();
      expect(result.senators.map(({ personid, name, title }) => [personid, name, title])).toEqual([
        [8, "Ben", "Former Senator"],
        [7, "Ann", "U.S. Senator"],
      ]);
    });

    test("returns an object with bill, videotypes and senators; each has personid, name, title, speeches", async () => {
      const { result } = await senatorsOf();
      expect(result).toMatchObject({ bill: BILL, videotypes: ["Speech", "Debate"] });
      expect(Object.keys(result).sort()).toEqual(["bill", "senators", "videotypes"]);
      for (const senator of result.senators) {
        expect(Object.keys(senator).sort()).toEqual(["name", "personid", "speeches", "title"]);
      }
      expect(result.senators[1]?.speeches).toEqual([ROWS[0]]);
    });

    test("the congress scopes the date window unless mindate or maxdate is given", async () => {
      const windows = async (more: object) =>
        new Set(searches((await senatorsOf(more)).server).map(({ mindate, maxdate }) => `${mindate} ${maxdate}`));
      expect(await windows({})).toEqual(new Set(["2021-01-03 2023-01-02"]));
      expect(await windows({ mindate: "2022-05-01" })).toEqual(new Set(["2022-05-01 undefined"]));
    });

    test("max_items caps the rows per title/number variant and video type combination", async () => {
      const { result } = await senatorsOf({ maxItems: 1 });
      const kept = result.senators.map(({ name, speeches }) => [name, speeches.length]);
      expect(kept).toEqual([
        ["Ann", 1],
        ["Ben", 1],
      ]);
    });
  });

  test.each<[string, unknown, unknown[]]>([
    ["a list is the rows", [{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 2 }]],
    ["the first list-of-dicts value of a dict is the rows", { n: [1], rows: [{ a: 1 }], more: [{ b: 1 }] }, [{ a: 1 }]],
    ["a dict with only pagination metadata is an empty list", { cursor: "c" }, []],
    ["otherwise the dict is one row", { id: 1, title: "x" }, [{ id: 1, title: "x" }]],
  ])("to_records: %s", (_what, data, rows) => {
    expect(toRecords(data as object)).toEqual(rows);
  });

  test("to_csv: header plus one row per record; to_jsonl: one JSON record per line; to_dataframe: a dataframe", () => {
    const rows = [{ a: 1, b: "x" }, { a: 2 }];
    expect(toCsv(rows)).toBe("a,b\r\n1,x\r\n2,\r\n");
    expect(
      toJsonl(rows)
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(rows);
    expect(toDataFrame(rows).shape).toEqual({ height: 2, width: 2 });
  });

  test("close() closes the HTTP session", async () => {
    const { archive: client } = await served(pages());
    await client.bills("x");
    await client.close();
    await expect(client.bills("x")).rejects.toMatchObject({ code: "CLIENT_CLOSED" });
  });

  test.each([429, 500, 502, 503, 504])("retry: HTTP %i is retried up to max_retries", async (status) => {
    const failing = await served(() => ({ status, body: {} }), { maxRetries: 2 });
    await errorOf(failing.archive.bills("x"), APIError);
    expect(failing.server.requests).toHaveLength(3);
    const passing = await served((_, at) => (at < 2 ? { status, body: {} } : { body: { bills: [{ id: 1 }] } }));
    expect((await passing.archive.bills("x")).height).toBe(1);
  });

  test.each([400, 401, 403, 404])("retry: HTTP %i is not", async (status) => {
    const { server, archive: client } = await served(() => ({ status, body: {} }));
    await errorOf(client.bills("x"), APIError);
    expect(server.requests).toHaveLength(1);
  });

  test("retry: with exponential backoff", async () => {
    const at: number[] = [];
    const script = () => {
      at.push(performance.now());
      return { status: 503, body: {} };
    };
    const { archive: client } = await served(script, { maxRetries: 2, backoffFactor: 0.4 });
    await errorOf(client.bills("x"), APIError);
    const [first = 0, second = 0] = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    expect(first).toBeGreaterThan(150);
    expect(second).toBeGreaterThan(350);
  });

  test.each([429, 503])("retry: honouring the Retry-After header of a %i", async (status) => {
    const begin = performance.now();
    const refused = { status, headers: { "retry-after": "1" }, body: {} };
    const { archive: client } = await served((_, at) => (at === 0 ? refused : { body: { bills: [] } }));
    await client.bills("x");
    expect(performance.now() - begin).toBeGreaterThan(950);
  });

  test("invalid input raises a validation error before any request is made", async () => {
    const { server, archive: client } = await served(() => ({ body: {} }));
    const calls: Array<() => unknown> = [
      () => client.bills(""),
      () => client.mentions("x", { limit: 0 }),
      () => client.mentions("x", { mindate: "January" }),
      () => client.bills("x", { format: "cvs" as never }),
      () => client.bills("x", { maxItems: -1 }),
      () => client.person(" "),
      () => client.program("556839-1"),
      () => client.save("bills", "x.pdf", { query: "x" }),
      () => client.speechesOnBill({ congress: 117 } as never),
    ];
    for (const call of calls) await errorOf((async () => call())(), ValidationError);
    expect(server.requests).toEqual([]);
  });
});

describe("5. Authentication", () => {
  test.each([
    ["missing", {}, 401],
    ["invalid", { "x-api-key": "wrong" }, 403],
  ])("a %s key yields HTTP 401 or 403", async (_what, headers, status) => {
    expect((await ask(archive, "/bills", { query: "x" }, { headers })).status).toBe(status);
  });

  test("the client accepts the key as an argument or from ARCHIVE_API_KEY", async () => {
    const { server, archive: client } = await served(() => ({ body: {} }), { apiKey: "given" });
    await client.bills("x");
    process.env.ARCHIVE_API_KEY = "from-environment";
    try {
      await using other = new ArchiveClient({ baseUrl: server.baseUrl });
      await other.bills("x");
    } finally {
      delete process.env.ARCHIVE_API_KEY;
    }
    expect(server.requests.map(({ headers }) => headers["x-api-key"])).toEqual(["given", "from-environment"]);
    expect(() => new ArchiveClient()).toThrow(AuthenticationError);
  });
});

describe("7. Errors", () => {
  test.each([
    [400, APIError],
    [401, AuthenticationError],
    [403, AuthenticationError],
    [404, NotFoundError],
    [429, RateLimitError],
    [500, APIError],
  ] as const)("HTTP %i is an error of its class, with status_code and response", async (status, expected) => {
    const { archive: client } = await served(() => ({ status, body: { message: "no" } }), { maxRetries: 0 });
    const error = await errorOf(client.bills("x"), expected);
    expect(error.constructor).toBe(expected);
    expect(error.statusCode).toBe(status);
    expect(error.response?.status).toBe(status);
  });

  test("404: the resource does not exist", async () => {
    expect((await ask(archive, "/programs/1")).status).toBe(404);
  });

  test("429: quota exceeded, with the seconds to wait in Retry-After", async () => {
    const strict = await embeddedArchive({ quota: { requests: 1, seconds: 60 } });
    await ask(strict, "/bills", { query: "x" });
    const { status, headers } = await ask(strict, "/bills", { query: "x" });
    expect(status).toBe(429);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(50);
  });

  test.each([
    ["120", 120],
    [undefined, undefined],
  ])("RateLimitError has retry_after seconds parsed from Retry-After when present: %s", async (header, seconds) => {
    const headers: Record<string, string> = header === undefined ? {} : { "retry-after": header };
    const { archive: client } = await served(() => ({ status: 429, headers, body: {} }), { maxRetries: 0 });
    expect((await errorOf(client.bills("x"), RateLimitError)).retryAfter).toBe(seconds);
  });

  test("client exception hierarchy", () => {
    for (const Class of [ValidationError, APIError, AuthenticationError, NotFoundError, RateLimitError]) {
      expect(Object.create(Class.prototype)).toBeInstanceOf(ArchiveError);
    }
    for (const Class of [AuthenticationError, NotFoundError, RateLimitError]) {
      expect(Object.create(Class.prototype)).toBeInstanceOf(APIError);
    }
    expect(Object.create(ValidationError.prototype)).not.toBeInstanceOf(APIError);
  });
});

describe("8. Limits", () => {
  test("mentions default limit is 20, and default page 1", async () => {
    const { text, body } = await ask(archive, "/mentions", { query: "climate" });
    expect(rowsOf(body, "mentions")).toHaveLength(20);
    expect((await ask(archive, "/mentions", { query: "climate", page: 1, limit: 20 })).text).toBe(text);
  });

  test("client timeout: an attempt that takes longer is an error", async () => {
    const { archive: client } = await served(() => ({ hang: true }), { timeout: 0.2, maxRetries: 0 });
    await expect(client.bills("x")).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  test("deep pagination reaches a request quota and gets HTTP 429: the rows so far and the cursor are kept", async () => {
    await using limited = await openArchive({
      announce: false,
      embedded: { quota: { requests: 2, seconds: 3600 } },
      pageSize: 100,
      progress: false,
    });
    const error = await errorOf(limited.mentions("climate", { maxItems: 1000 }), RateLimitError);
    expect(error.partial).toMatchObject({ rows: 200, pages: 2 });
    expect(error.partial?.cursor).toBeTypeOf("string");
  });

  test("max_items stops in time while exploring", async () => {
    const { server, archive: client } = await served(pages(100));
    expect((await client.bills("x", { maxItems: 4 })).height).toBe(4);
    expect(server.requests).toHaveLength(2);
  });

  test("max_retries and backoff_factor can be raised for long harvests", async () => {
    const script = (_: unknown, at: number) => (at < 6 ? { status: 429, body: {} } : { body: { bills: [{ id: 1 }] } });
    const { archive: client } = await served(script, { maxRetries: 8, backoffFactor: 0.01 });
    expect((await client.bills("x")).height).toBe(1);
    expect(clientSettings({ apiKey: KEY, backoffFactor: 60 }).backoffFactor).toBe(60);
  });
});
