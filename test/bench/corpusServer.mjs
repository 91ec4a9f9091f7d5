/**
 * A service with many searches, `/mentions`, on loopback: a child process that receives its options as an argument and sends its port.
 * Search `q7` finds the rows from 7 × `step` on, so that it shares rows with the next one.
 *
 * - `rows`: rows of each search
 * - `step`: rows between the beginnings of two searches
 * - `latency`: milliseconds before each response
 * - `perSecond`, `burst`: a quota as a token bucket; requests beyond it get a 429 with Retry-After. Without them there is no quota
 *
 * `/stats` returns `{ requests, refused, rate }` since the last `/stats`; `rate` is that of the last half of the accepted requests, per
 * second, and `ms` the time from the first request to the last.
 */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { mentionRows } from "./mentionRows.mjs";

/** 101,000 rows take three years. */
const SECONDS_APART = 900;

const { rows, step, latency, perSecond = Number.POSITIVE_INFINITY, burst = 1 } = JSON.parse(process.argv[2]);
let stats = { requests: 0, refused: 0 };
let accepted = [];
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
    const half = accepted.slice(accepted.length >> 1);
    const rate = (1000 * (half.length - 1)) / (half.at(-1) - half[0]);
    send(response, Buffer.from(JSON.stringify({ ...stats, rate, ms: accepted.at(-1) - accepted[0] })));
    stats = { requests: 0, refused: 0 };
    accepted = [];
    tokens = burst;
    return;
  }
  const now = performance.now();
  stats.requests++;
  if (!isAccepted(now)) {
    stats.refused++;
    response.writeHead(429, { "retry-after": String(Math.ceil((1 - tokens) / perSecond)) }).end("{}");
    return;
  }
  accepted.push(now);
  await sleep(latency);
  send(response, pageOf(url.searchParams));
});

server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
