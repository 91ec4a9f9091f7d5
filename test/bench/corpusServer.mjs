/**
 * A service with many searches, `/mentions`, on loopback: a child process that receives its options as an argument and sends its port.
 * Search `q7` finds the rows from 7 × `step` on, so that it shares rows with the next one.
 *
 * - `rows`: rows of each search
 * - `step`: rows between the beginnings of two searches
 * - `spread`: a seed; searches then have from none to twice as many rows
 * - `months`: months of each search, from January 2023 on. Each has rows of its own, by the `mindate` of the request
 * - `secondsApart`: seconds between two rows; by default 101,000 rows take three years
 * - `latency`: milliseconds before each response
 * - `perSecond`, `burst`: a quota of each key, as a token bucket; requests beyond it get a 429 with Retry-After. Without them there is no quota
 *
 * `/stats` returns `{ requests, refused, rate, steady, ms }` since the last `/stats`: accepted requests per second from the first to the
 * last, beyond the burst, the same of the second half of them, and the milliseconds from the first to the last. It fills the buckets.
 * After `/next` every search lacks its first row and has another one at its end.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { mentionPage } from "./mentionRows.mjs";
import { send, serve } from "./serve.mjs";

const { rows, step, latency, spread, months = 1, secondsApart = 900, ...quota } = JSON.parse(process.argv[2]);
const { perSecond = Number.POSITIVE_INFINITY, burst = 1 } = quota;
let generation = 0;
let stats = { requests: 0, refused: 0 };
let accepted = [];
/** By key. */
const buckets = new Map();

/** The seconds until the quota of a key lets a request through; 0 if it does now. */
function refusalOf(key, now) {
  if (perSecond === Number.POSITIVE_INFINITY) return 0;
  const { tokens, filled } = buckets.get(key) ?? { tokens: burst, filled: now };
  const left = Math.min(burst, tokens + ((now - filled) / 1000) * perSecond);
  buckets.set(key, { tokens: left < 1 ? left : left - 1, filled: now });
  return left < 1 ? (1 - left) / perSecond : 0;
}

function pageOf(query) {
  const [year = 2023, month = 1] = (query.get("mindate") ?? "").split("-").slice(0, 2).map(Number);
  const search = Number(query.get("query").slice(1)) * months + (months === 1 ? 0 : 12 * (year - 2023) + month - 1);
  const limit = Number(query.get("limit") ?? 20);
  const from = query.has("cursor") ? Number(query.get("cursor")) : (Number(query.get("page") ?? 1) - 1) * limit;
  const count = spread === undefined ? rows : (rows * ((search * 7919 + spread * 104_729) % 201)) / 100;
  const to = Math.min(Math.round(count), from + limit);
  if (from >= to) return Buffer.from(`{"cursor":"${from}"}`);
  const first = search * step + generation;
  return mentionPage(first + from, first + to, to, secondsApart);
}

serve(async (request, response) => {
  const url = new URL(request.url, "http://service");
  const [, table, id] = url.pathname.split("/");
  if (id !== undefined) {
    stats.requests++;
    return send(response, Buffer.from(table === "people" ? '{"people":[]}' : `{"id":${id},"title":"House Session"}`));
  }
  if (url.pathname === "/next") {
    generation++;
    return send(response, Buffer.from("{}"));
  }
  if (url.pathname === "/stats") {
    const half = accepted.slice(accepted.length >> 1);
    const ms = accepted.at(-1) - accepted[0];
    const rate = (1000 * (accepted.length - burst)) / ms;
    const steady = (1000 * (half.length - 1)) / (half.at(-1) - half[0]);
    send(response, Buffer.from(JSON.stringify({ ...stats, rate, steady, ms })));
    stats = { requests: 0, refused: 0 };
    accepted = [];
    buckets.clear();
    return;
  }
  const now = performance.now();
  stats.requests++;
  const refusal = refusalOf(request.headers["x-api-key"], now);
  if (refusal > 0) {
    stats.refused++;
    response.writeHead(429, { "retry-after": String(Math.ceil(refusal)) }).end("{}");
    return;
  }
  accepted.push(now);
  await sleep(latency);
  send(response, pageOf(url.searchParams));
});
