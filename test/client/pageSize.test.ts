import { describe, expect, it, onTestFinished } from "vitest";
import { APIError, ArchiveError, provenanceOf } from "../../src/index.js";
import { newDirectory } from "../responses/recording.js";
import { replayOf } from "../responses/replayOf.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";
import type { ScriptedAnswer, ScriptedServer } from "../service/scriptedServer.js";
import { queryOf, served } from "./clientTo.js";

/** The limits that were asked for, in order. */
const limitsOf = ({ requests }: ScriptedServer, from = 0) => requests.slice(from).map((one) => queryOf(one).limit);

/** A service that answers in another way if it is asked for more rows than `most`. */
const refusing = (rows: number, most: number, answer: ScriptedAnswer) =>
  startPagedServer({
    rows,
    instead: (_offset, _index, request) => (Number(queryOf(request).limit ?? 20) > most ? answer : undefined),
  });

/** The warnings of a test about page sizes. */
function pageWarnings(): string[] {
  const seen: string[] = [];
  const listen = (warning: Error & { code?: string }) => {
    if (/^(PAGE_SIZE|FEWER_ROWS)$/.test(warning.code ?? "")) seen.push(warning.message);
  };
  process.on("warning", listen);
  onTestFinished(() => void process.off("warning", listen));
  return seen;
}

/** Warnings arrive after the current turn of the event loop. */
const warningsArrived = () => new Promise((resolve) => setImmediate(resolve));

describe("a service that refuses pages of 1,000 rows", () => {
  it.each([400, 413, 422])("with %d is asked for none by all later searches", async (status) => {
    const warnings = pageWarnings();
    const { server, archive } = await served(refusing(50, 100, { status, body: {} }), { maxRetries: 0 });
    const frame = await archive.mentions("x", { maxItems: 1e6 });
    expect(limitsOf(server)).toEqual(["1000", ...Array(4).fill(undefined)]);
    expect(provenanceOf(frame)).toMatchObject({ rows: 50, requests: 5, verdict: "complete" });
    await archive.scan.mentions("y").collect();
    expect(limitsOf(server, 5)).toEqual(Array(4).fill(undefined));
    await warningsArrived();
    expect(warnings).toEqual([expect.stringContaining(`refuses pages of 1000 rows (${status}), but not pages of its`)]);
  });

  it("is asked for what the user set, and no other size", async () => {
    const { server, archive } = await served(refusing(50, 100, { status: 400, body: {} }), { pageSize: 500 });
    await errorOf(archive.mentions("x", { maxItems: 1e6 }), APIError);
    await errorOf(archive.mentions("x", { maxItems: 1e6, limit: 400 }), APIError);
    expect(limitsOf(server)).toEqual(["500", "400"]);
  });

  it("is recorded, and replayed with the same requests", async () => {
    const dir = newDirectory();
    const { archive } = await served(refusing(250, 100, { status: 400, body: {} }), { snapshot: { dir } });
    const then = await archive.mentions("x", { maxItems: 1e6 });
    await using replay = replayOf(dir);
    const now = await replay.mentions("x", { maxItems: 1e6 });
    expect(provenanceOf(now)?.sha256).toEqual(provenanceOf(then)?.sha256);
    await expect(replay.mentions("w", { maxItems: 1e6 })).rejects.toMatchObject({ code: "NOT_IN_SNAPSHOT" });
  });
});

describe("a refusal that has another reason", () => {
  it("costs one request more on a new client, and none where the size was accepted before", async () => {
    const bad = { status: 400, body: { message: "bad query" } };
    const { server, archive } = await served(
      startPagedServer({
        rows: 5,
        instead: (_offset, _index, request) => (queryOf(request).query === "bad" ? bad : undefined),
      }),
    );
    const first = await errorOf(archive.mentions("bad", { maxItems: 1e6 }), APIError);
    expect(first.message).toContain("bad query");
    expect(limitsOf(server)).toEqual(["1000", undefined]);
    await archive.mentions("good", { maxItems: 1e6 });
    await errorOf(archive.mentions("bad", { maxItems: 1e6 }), APIError);
    expect(limitsOf(server, 2)).toEqual(["1000", "1000", "1000"]);
  });

  it.each([401, 403, 404, 500])("such as %d is not tried again", async (status) => {
    const { server, archive } = await served(startPagedServer({ rows: 5, instead: () => ({ status, body: {} }) }), {
      maxRetries: 0,
    });
    await errorOf(archive.mentions("x", { maxItems: 1e6 }), APIError);
    expect(server.requests).toHaveLength(1);
  });

  it("does not send more than maxRequests", async () => {
    const { server, archive } = await served(refusing(250, 100, { status: 400, body: { message: "too many" } }));
    const error = await errorOf(archive.scan.mentions("x").collect({ maxRequests: 1 }), ArchiveError);
    expect(error.code).toBe("OUT_OF_REQUESTS");
    expect((await archive.scan.mentions("x").collect({ maxRequests: 3 })).height).toBe(40);
    expect(server.requests).toHaveLength(4);
  });
});

describe("a service that sends fewer rows than it is asked for", () => {
  it("is reported once to a user who asks for one page of more", async () => {
    const warnings = pageWarnings();
    const { archive } = await served(startPagedServer({ rows: 2500, most: 1000 }));
    const { archive: small } = await served(startPagedServer({ rows: 37 }));
    await small.mentions("x", { limit: 50 });
    for (let run = 0; run < 2; run++) await archive.mentions("x", { limit: 5000 });
    await warningsArrived();
    expect(warnings).toEqual([expect.stringContaining("a page of 1000 rows, although 5000 were requested")]);
  });
});
