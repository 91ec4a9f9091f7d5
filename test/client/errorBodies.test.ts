import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { APIError, provenanceOf } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { errorOf, KEY } from "../service/helpers.js";
import { clientTo, mention, served } from "./clientTo.js";

/** Bodies that report a failure with status 200. None is a page or the end of a search. */
const failures: Array<[string, object]> = [
  ["a list of errors", { errors: [{ message: "timed out", text: "x" }] }],
  ["a list of errors beside a cursor", { errors: [{ id: 1, message: "timed out" }], cursor: "c3" }],
  ["null rows beside an error", { mentions: null, error: "timed out", cursor: "c3" }],
  ["rows beside an error", { mentions: [mention(7)], Error_Message: "shard 3 failed", cursor: "c3" }],
  ["rows of a search that timed out", { mentions: [mention(7)], timed_out: true, cursor: "c3" }],
  ["rows beside a status", { mentions: null, status: 504, cursor: "c3" }],
  ["a list of something else", { warnings: [{ severity: "high", reason: "overload" }], cursor: "c3" }],
  ["an unknown member", { cursor: "c3", advice: "come back later" }],
];

/** Five pages of two mentions; the third is `body` while `broken()` is true. */
const startBroken = (body: object, broken: () => boolean) =>
  startPagedServer({ rows: 10, most: 2, instead: (offset) => (offset === 4 && broken() ? { body } : undefined) });

describe.each(failures)("a 200 response that reports a failure throws: %s", (_name, body) => {
  it("on a first page, in every format", async () => {
    const { archive } = await served(() => ({ body }));
    for (const format of ["dataframe", "json", "records", "csv"] as const) {
      const error = await errorOf(archive.mentions("x", { format }), APIError);
      expect(error).toMatchObject({ code: "UNEXPECTED_BODY", statusCode: 200 });
      expect(error.response?.body).toContain("cursor" in body ? "cursor" : "errors");
    }
  });

  it("on a later page, keeping the pages before it", async () => {
    const { archive } = await served(
      startBroken(body, () => true),
      { pageSize: 2 },
    );
    const error = await errorOf(archive.mentions("x", { maxItems: 100 }), APIError);
    expect(error).toMatchObject({ code: "UNEXPECTED_BODY", partial: { rows: 4, cursor: "c4" } });
  });

  it("and is stored in neither snapshot nor journal", async () => {
    const folder = temporaryFolder();
    let broken = true;
    await using server = await startBroken(body, () => broken);
    const path = join(folder, "rows.jsonl");
    await using recording = clientTo(server, { pageSize: 2, snapshot: { dir: join(folder, "snapshot") } });
    await using archive = clientTo(server, { pageSize: 2 });
    const ask = () => recording.mentions("x", { maxItems: 100 });
    const sink = () => archive.scan.mentions("x").sink(path);
    await errorOf(ask(), APIError);
    await errorOf(sink(), APIError);
    broken = false;
    const frame = await ask();
    expect(frame.getColumn("id").toArray().map(Number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(provenanceOf(frame)).toMatchObject({ verdict: "complete", rows: 10 });
    expect(await sink()).toBe(path);
    expect(readdirSync(folder).sort()).toContain("rows.jsonl");
  });
});

it.each([
  ["person", { errors: [{ message: "down", name: "x" }] }],
  ["person", { id: 7, name: "Ann", error: "partial" }],
  ["program", { title: "Gateway Timeout", status: 504, detail: "upstream" }],
  ["program", { id: 7, errors: ["down"] }],
] as const)("a look-up of a %s that reports a failure is an error: %o", async (operation, body) => {
  const { archive } = await served(() => ({ body }));
  expect((await errorOf(archive[operation](7), APIError)).code).toBe("UNEXPECTED_BODY");
});

it.each([
  ["an error that is null", { mentions: [mention(1)], error: null, errors: [], cursor: "c" }],
  ["a status of success", { mentions: [mention(1)], status: 200, success: true, cursor: "c" }],
  ["an error code of 0", { mentions: [mention(1)], errorCode: 0, error: false, timed_out: false, cursor: "c" }],
  ["members of a list that speak of errors", { mentions: [mention(1, { error: "none of ours" })], cursor: "c" }],
  ["facets before the rows", { facets: [{ label: "x" }], mentions: [mention(1)], cursor: "c" }],
])("%s is no failure", async (_name, body) => {
  const { archive } = await served(() => ({ body }));
  expect((await archive.mentions("x")).getColumn("id").toArray()).toEqual(["1"]);
});

it.each([
  ["the cursor alone", { cursor: "c" }],
  ["pagination and what the service took", { cursor: "c", total: 0, took: 3, status: "ok", success: true, facets: {} }],
  ["null", { cursor: "c", mentions: null, message: "", error: null }],
  ["an empty list and a remark", { cursor: "c", mentions: [], message: "No results found" }],
])("no rows: %s", async (_name, body) => {
  const { archive } = await served(() => ({ body }));
  const frame = await archive.mentions("x", { maxItems: 10 });
  expect(provenanceOf(frame)).toMatchObject({ rows: 0, verdict: "complete" });
});

it("invalid UTF-8 becomes the replacement character", async () => {
  const body = Buffer.concat([Buffer.from('{"bills":[{"id":1,"link":"a'), Buffer.from([0xff]), Buffer.from('b"}]}')]);
  const { archive } = await served(() => ({ body }));
  expect((await archive.bills("x")).getColumn("link").toArray()).toEqual(["a\ufffdb"]);
  expect(await archive.bills("x", { format: "records" })).toEqual([{ id: 1, link: "a\ufffdb" }]);
});

it("the response of an error contains the beginning of the body, but never the key", async () => {
  const { archive } = await served(() => ({ body: `<p>your key ${KEY}</p>${"x".repeat(5000)}` }));
  const { response } = await errorOf(archive.bills("x"), APIError);
  expect(response).toMatchObject({ status: 200, body: expect.stringMatching(/^<p>your key \[redacted\]/) });
  expect(response?.body).toHaveLength(2000);
});
