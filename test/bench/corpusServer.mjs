/**
 * A service with many searches, `/mentions`, on loopback: a child process that receives its options as an argument and sends its port.
 * Search `q7` finds the rows from 7 × `step` on, so that it shares rows with the next one.
 *
 * - `rows`: rows of each search
 * - `step`: rows between the beginnings of two searches
 * - `latency`: milliseconds before each response
 * - `perSecond`, `burst`: a quota as a token bucket; requests beyond it get a 429 with Retry-After. Without them there is no quota
 *
 * `/stats` returns `{ requests, refused, ms }` since the last `/stats`; `ms` from the first request to the last.
 */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { mentionRows } from "./mentionRows.mjs";

/** 101,000 rows take three years. */
const SECONDS_APART = 900;

const { rows, step, latency, perSecond = Number.POSITIVE_INFINITY, burst = 1 } = JSON.parse(process.argv[2]);
const none = { requests: 0, refused: 0, first: 0, last: 0 };
let stats = { ...none };
let tokens = burst;
let filled = performance.now();

/** Whether the quota lets a request through. */
function isAccepted(now) {
  if (perSecond === Number.POSITIVE_INFINITY) return true;
  tokens = Math.min(burst, tokens + ((now - filled) / 1000) * perSecond);
  filled = now;
  if (tokens < 1) return false;
  tokens--;
  return true;
}

function pageOf(query) {
  const first = Number(query.get("query").slice(1)) * step;
  const limit = Number(query.get("limit") ?? 20);
  const from = query.has("cursor") ? Number(query.get("cursor")) : (Number(query.get("page") ?? 1) - 1) * limit;
  const to = Math.min(rows, from + limit);
  if (from >= rows) return Buffer.from(`{"cursor":"${rows}"}`);
  const page = mentionRows(first + from, first + to, SECONDS_APART);
  return Buffer.concat([Buffer.from(`{"cursor":"${to}","mentions":[`), page, Buffer.from("]}")]);
}

function send(response, body) {
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://service");
  if (url.pathname === "/stats") {
    const { first, last, ...counts } = stats;
    send(response, Buffer.from(JSON.stringify({ ...counts, ms: last - first })));
    stats = { ...none };
    tokens = burst;
    return;
  }
  const now = performance.now();
  stats.requests++;
  stats.first ||= now;
  stats.last = now;
  if (!isAccepted(now)) {
    stats.refused++;
    response.writeHead(429, { "retry-after": String(Math.ceil((1 - tokens) / perSecond)) }).end("{}");
    return;
  }
  await sleep(latency);
  send(response, pageOf(url.searchParams));
});

server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
