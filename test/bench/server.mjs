/**
 * A service with one search, `/mentions`, on loopback: a child process that receives its options as an argument and sends its
 * port. It first prepares all pages of `pageRows` rows, so that no contender waits for one. Pages of another size are created on
 * first request and kept.
 *
 * - `total`: number of rows
 * - `pageRows`: default rows per page (20)
 * - `maxLimit`: maximum rows per page (1000)
 * - `cursorOnly`: ignores `limit` and `page`, so pages can only be fetched in order
 * - `latency`: milliseconds before each response
 *
 * `/stats` returns `{ requests, atOnce }` since the last `/stats?reset`.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { mentionPage } from "./mentionRows.mjs";
import { send, serve } from "./serve.mjs";

const { total, pageRows = 20, maxLimit = 1000, cursorOnly = false, latency = 0 } = JSON.parse(process.argv[2]);

const pages = new Map();
let stats = { requests: 0, atOnce: 0 };
let open = 0;

const cursorAt = (row) => Buffer.from(`mentions:${String(row).padStart(9, "0")}`).toString("base64url");
const rowAt = (cursor) => Number(Buffer.from(cursor, "base64url").toString().split(":")[1]);

function spanOf(query) {
  const limit = Number(cursorOnly ? pageRows : (query.get("limit") ?? pageRows));
  const count = Math.min(limit, maxLimit);
  const page = Number(cursorOnly ? 1 : (query.get("page") ?? 1));
  const cursor = query.get("cursor");
  const from = Math.min(total, cursor === null ? (page - 1) * count : rowAt(cursor));
  return [from, Math.min(total, from + count)];
}

function pageOf(from, to) {
  const key = `${from}-${to}`;
  const known = pages.get(key);
  if (known !== undefined) return known;
  const cursor = cursorAt(to);
  const page = from === to ? Buffer.from(`{"cursor":"${cursor}"}`) : mentionPage(from, to, cursor);
  pages.set(key, page);
  return page;
}

for (let from = 0; from < total; from += pageRows) pageOf(from, Math.min(total, from + pageRows));
pageOf(total, total);

serve(async (request, response) => {
  const url = new URL(request.url, "http://service");
  if (url.pathname === "/stats") {
    send(response, Buffer.from(JSON.stringify(stats)));
    if (url.searchParams.has("reset")) stats = { requests: 0, atOnce: 0 };
    return;
  }
  open++;
  stats.requests++;
  stats.atOnce = Math.max(stats.atOnce, open);
  if (latency > 0) await sleep(latency);
  send(response, pageOf(...spanOf(url.searchParams)));
  open--;
});
