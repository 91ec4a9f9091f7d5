import { afterAll, describe, expect, test } from "vitest";
import { startEmbeddedArchive } from "../../src/embedded/index.js";
import { ask } from "./support.js";

const archive = await startEmbeddedArchive({ size: 200, apiKey: "secret-key" });
afterAll(() => archive.close());

const PATHS = ["/bills", "/mentions", "/people", "/people/6153", "/programs/search", "/programs/683870"];

describe("section 5: every request requires an API key", () => {
  test.each([...PATHS, "/nowhere"])("a missing key on %s is 401", async (path) => {
    const { status, body } = await ask(archive, path, { query: "budget" }, { headers: {} });
    expect(status).toBe(401);
    expect(Object.keys(body)).toEqual(["message"]);
  });

  test.each(["wrong", "secret-key2", "SECRET-KEY"])("an invalid key is 403 and is not echoed: %s", async (key) => {
    const { status, text } = await ask(archive, "/bills", { query: "budget" }, { headers: { "x-api-key": key } });
    expect(status).toBe(403);
    expect(text).not.toContain(key);
  });

  test("a key in the query string does not count", async () => {
    const { status } = await ask(archive, "/bills", { query: "budget", "x-api-key": "secret-key" }, { headers: {} });
    expect(status).toBe(401);
  });

  test("no error repeats the key, wherever it was sent", async () => {
    const key = "secret-key";
    const answers = await Promise.all([
      ask(archive, `/${key}`),
      ask(archive, `/programs/${key}`),
      ask(archive, "/bills", { cursor: key, query: key }),
      ask(archive, "/mentions", { query: key, date: key }),
      ask(archive, "/mentions", { query: key, limit: key }),
      ask(archive, "/programs/search", { query: `${key}:x` }),
      ask(archive, "/programs/search", { query: "x", sort: key }),
      ask(archive, "/bills", { query: "x" }, { headers: { "x-api-key": `${key}!` } }),
    ]);
    for (const { status, text } of answers) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).not.toContain(key);
    }
  });
});

describe("section 4: all endpoints use GET and return JSON", () => {
  test.each(PATHS)("%s returns 200 with JSON", async (path) => {
    const { status, headers } = await ask(archive, path, { query: "budget" });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
  });

  test.each(["POST", "DELETE"])("%s is 405 and names GET", async (method) => {
    const { status, headers, body } = await ask(
      archive,
      "/bills",
      { query: "x" },
      { method, headers: { "x-api-key": "secret-key" } },
    );
    expect(status).toBe(405);
    expect(headers.get("allow")).toBe("GET");
    expect(body.message).toBeTypeOf("string");
  });

  test.each("/ /bill /bills/ /bills/1 /people/1/2 /programs /programs/ /../bills".split(" "))(
    "an unknown path is 404: %s",
    async (path) => {
      const { status, body } = await ask(archive, path, { query: "x" });
      expect(status).toBe(404);
      expect(body.message).toBeTypeOf("string");
    },
  );

  test("a path outside the version is 404", async () => {
    const outside = archive.baseUrl.replace("/2.0", "/1.0");
    const answer = await fetch(`${outside}/bills?query=x`, { headers: { "x-api-key": "secret-key" } });
    expect(answer.status).toBe(404);
  });

  test("invalid percent-encoding in a path is 400", async () => {
    expect((await ask(archive, "/people/%E0%A4%A")).status).toBe(400);
  });

  test.each(["/bills", "/mentions", "/programs/search"])(
    "query is required on %s: missing, empty or blank is 400",
    async (path) => {
      for (const query of [{}, { query: "" }, { query: "  " }]) {
        const { status, body } = await ask(archive, path, query);
        expect(status).toBe(400);
        expect(body.message).toContain("query");
      }
    },
  );
});

const OPTIONAL = [
  ["/bills", { query: "budget" }, ["cursor"]],
  ["/mentions", { query: "i" }, ["cursor", "limit", "page", "date", "mindate", "maxdate", "personid", "videotype"]],
  ["/people", {}, ["cursor", "query", "first", "last"]],
  ["/programs/search", { query: "category:Ceremony" }, ["cursor", "sort"]],
] as const;

test.each(OPTIONAL.flatMap(([path, query, names]) => names.map((name) => [path, name, query] as const)))(
  "%s: an empty %s counts as absent",
  async (path, name, query) => {
    const plain = await ask(archive, path, query);
    expect(plain.status).toBe(200);
    for (const empty of ["", " "])
      expect((await ask(archive, path, { ...query, [name]: empty })).text).toBe(plain.text);
  },
);
