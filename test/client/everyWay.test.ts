import { expect, it } from "vitest";
import { temporaryFolder } from "../files/temporary.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { mention, queryOf, served } from "./clientTo.js";
import { WAYS } from "./ways.js";

const ROWS = 330;

const idsFrom = (from: number, count: number): number[] =>
  [...Array(Math.max(0, Math.min(count, ROWS - from))).keys()].map((at) => from + at + 1);

function startService() {
  return startScriptedServer((request) => {
    const { cursor = "c0", limit = "20" } = queryOf(request);
    const from = Number(cursor.slice(1));
    const rows = idsFrom(from, Number(limit));
    // Every page begins with the last row of the page before, with its members in another order.
    const repeated = from > 0 && rows.length > 0 ? [Object.fromEntries(Object.entries(mention(from)).reverse())] : [];
    const mentions = [...repeated, ...rows.map((id) => mention(id))];
    return { body: { cursor: `c${from + rows.length}`, ...(mentions.length > 0 && { mentions }) } };
  });
}

it.each(Object.entries(WAYS))("all rows are read in order, once, and by the cursor alone: %s", async (_way, way) => {
  for (const pageSize of [50, 10, undefined]) {
    const { server, archive } = await served(startService(), { pageSize });
    const { rows, provenance } = await way(archive, temporaryFolder());
    expect(rows.map(({ id }) => Number(id))).toEqual(idsFrom(0, ROWS));
    expect(provenance).toMatchObject({ rows: ROWS, verdict: "complete", cursor: null });
    expect(archive.lastResult()).toMatchObject({ rows: ROWS, cursor: undefined });
    expect(server.requests.map(queryOf).filter(({ page }) => page !== undefined)).toEqual([]);
  }
});

it("leaving the loop requests at most one page ahead", async () => {
  const { server, archive } = await served(startService(), { pageSize: 100 });
  let rows = 0;
  for await (const _ of archive.iterRecords("mentions", { query: "x" })) if (++rows === 250) break;
  expect(server.requests).toHaveLength(3);
});
