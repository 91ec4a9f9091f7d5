import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Count, provenanceOf, toRecords, ValidationError } from "../../src/index.js";
import { callCommand } from "../cli/callCommand.js";
import { temporaryFolder } from "../files/temporary.js";
import { replayOf } from "../responses/replayOf.js";
import { errorOf } from "../service/helpers.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { clientTo, mention, queryOf, served } from "./clientTo.js";

const root = temporaryFolder();

/** A service with `perDay` mentions on every day of 2024, by cursor and by page number. */
function startDays(perDay: (day: string) => number) {
  return startScriptedServer((request) => {
    const { mindate = "2024-01-01", maxdate = "2024-12-31", limit = "20", page, cursor } = queryOf(request);
    const rows: object[] = [];
    for (let at = Date.parse("2024-01-01"), id = 1; at <= Date.parse(maxdate); at += 86_400_000) {
      const day = new Date(at).toISOString().slice(0, 10);
      for (let left = perDay(day); left > 0; left--, id++)
        if (day >= mindate) rows.push(mention(id, { begintime: `${day}T12:00:00Z` }));
    }
    const from = cursor === undefined ? (Number(page ?? 1) - 1) * Number(limit) : Number(cursor);
    const mentions = rows.slice(from, from + Number(limit));
    return { body: { cursor: String(from + mentions.length), ...(mentions.length > 0 && { mentions }) } };
  });
}

describe("archive.count", () => {
  it("counts mentions, with the verdict and the provenance", async () => {
    const { server, archive } = await served(startDays(() => 11));
    const count: Count = await archive.count("mentions", "x");
    expect(count).toEqual({ rows: 366 * 11, verdict: "exact", reason: null, requests: server.requests.length });
    expect(count.requests).toBeLessThanOrEqual(14);
    const { rows, requests } = count;
    expect(provenanceOf(count)).toMatchObject({ operation: "mentions", verdict: "complete", rows, requests });
    expect(provenanceOf(count)?.parameters).toEqual({ query: "x" });
  });

  it("counts by month, zeros included", async () => {
    const { server, archive } = await served(startDays((day) => (day.startsWith("2024-05") ? 0 : 9)));
    const days = { mindate: "2024-02-10", maxdate: "2024-07-04" };
    const frame = await archive.count("mentions", "x", { ...days, by: "month" });
    expect(frame.columns).toEqual(["month", "rows", "verdict", "reason", "requests"]);
    expect(toRecords(frame).map(({ month, rows, verdict }) => [month, rows, verdict])).toEqual([
      ["2024-02", 20 * 9, "exact"],
      ["2024-03", 31 * 9, "exact"],
      ["2024-04", 30 * 9, "exact"],
      ["2024-05", 0, "exact"],
      ["2024-06", 30 * 9, "exact"],
      ["2024-07", 4 * 9, "exact"],
    ]);
    const rows = 115 * 9;
    expect(provenanceOf(frame)).toMatchObject({ parameters: { by: "month" }, rows, requests: server.requests.length });
  });

  it("keeps maxRequests over all groups", async () => {
    const { server, archive } = await served(startDays(() => 50));
    const days = { mindate: "2024-01-01", maxdate: "2024-12-31" };
    const frame = await archive.count("mentions", "x", { ...days, by: "month", maxRequests: 15 });
    expect(server.requests).toHaveLength(15);
    expect(toRecords(frame)[0]).toMatchObject({ rows: 31 * 50, verdict: "at least", reason: "maxRequests" });
    expect(toRecords(frame).at(-1)).toMatchObject({ rows: 0, verdict: "at least", reason: "maxRequests" });
    expect(provenanceOf(frame)).toMatchObject({ verdict: "capped", reason: "maxRequests" });
  });

  it("is replayed from a snapshot, without requests, and does not disturb a search", async () => {
    const dir = join(root, "snapshot");
    await using server = await startDays(() => 5);
    const days = { mindate: "2024-01-01", maxdate: "2024-06-30", by: "month" } as const;
    const recorder = clientTo(server, { snapshot: { dir } });
    const rows = await recorder.mentions("x", { maxItems: 1500 });
    const count = await recorder.count("mentions", "x");
    const frame = await recorder.count("mentions", "x", days);
    await recorder.close();
    const sent = server.requests.length;
    await using replay = replayOf(dir, { baseUrl: server.baseUrl });
    expect(await replay.count("mentions", "x")).toEqual(count);
    expect(provenanceOf(await replay.count("mentions", "x"))).toMatchObject({ verdict: "complete" });
    expect(toRecords(await replay.count("mentions", "x", days))).toEqual(toRecords(frame));
    expect((await replay.mentions("x", { maxItems: 1500 })).frameEqual(rows)).toBe(true);
    expect(server.requests).toHaveLength(sent);
  });

  it("stops with its signal, and keeps none of the other searches running", async () => {
    const controller = new AbortController();
    const { server, archive } = await served(startDays(() => 5));
    controller.abort();
    const days = { mindate: "2024-01-01", maxdate: "2024-12-31", by: "day" } as const;
    const call = archive.count("mentions", "x", { ...days, signal: controller.signal });
    await expect(call).rejects.toMatchObject({ code: "ABORTED" });
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    [["mentions", "x", { by: "month" }], "by"],
    [["mentions", "x", { by: "videotype" }], "by"],
    [["mentions", "x", { page: 2 }], "page"],
    [["mentions", "x", { maxRequests: -1 }], "maxRequests"],
    [["mentions", "x", { maxItems: 10 }], "maxItems"],
    [["bills", "x", { by: "year" }], "by", "bills have no days to count by. Leave it out, or count mentions."],
    [["person", "x", {}], "operation"],
  ] as const)("refuses %j before any request", async (args, parameter, message?: string) => {
    const { server, archive } = await served(startDays(() => 1));
    const call = (archive.count as (...given: readonly unknown[]) => Promise<unknown>).apply(archive, [...args]);
    const error = await errorOf(call, ValidationError);
    expect(error.parameter).toBe(parameter);
    expect(error.message).toContain(message ?? "");
    expect(server.requests).toHaveLength(0);
  });
});

it("archive-frames count prints a table of what the embedded archive has", async () => {
  const dates = ["--mindate", "2024-01-01", "--maxdate", "2024-03-31"];
  const { status, stdout } = await callCommand(root, ["count", "mentions", "climate", "--by", "month", ...dates]);
  expect(status).toBe(0);
  expect(stdout.split("\n").map((line) => line.split(/ +/)[0])).toEqual(["month", "2024-01", "2024-02", "2024-03", ""]);
});
