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
 * - `gzip`: compresses for clients that accept it
 *
 * `/stats` returns `{ requests, atOnce, bytes }` since the last `/stats?reset`.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { mentionPage } from "./mentionRows.mjs";
import { send, serve } from "./serve.mjs";

const {
  total,
  pageRows = 20,
  maxLimit = 1000,
  cursorOnly = false,
  latency = 0,
  gzip = false,
} = JSON.parse(process.argv[2]);

const pages = new Map();
const noStats = { requests: 0, atOnce: 0, bytes: 0 };
let stats = { ...noStats };
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
    if (url.searchParams.has("reset")) stats = { ...noStats };
    return;
  }
  open++;
  stats.requests++;
  stats.atOnce = Math.max(stats.atOnce, open);
  if (latency > 0) await sleep(latency);
  const page = pageOf(...spanOf(url.searchParams));
  const isCompressed = gzip && /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  const body = isCompressed ? gzipSync(page) : page;
  stats.bytes += body.length;
  send(response, body, isCompressed ? { "content-encoding": "gzip" } : {});
  open--;
});
