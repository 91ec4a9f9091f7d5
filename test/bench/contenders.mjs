/**
 * The compared ways to download a chain of pages. Each follows the cursor to the page without rows, with the same requests.
 * A contender is opened once and can run several times over the same connections.
 */
import pl from "nodejs-polars";
import { Agent, request } from "undici";
import { ArchiveClient } from "../../dist/index.js";

/** As long as real keys, because the time to search bodies for the key depends on its length. */
export const KEY = "bq7Xw2LmZ9TfK4sVhR8nYc3JdG6pAe5UoNi1QkEv";

/** A client of the server on loopback. */
export function clientOf(url, options = {}) {
  return new ArchiveClient({ apiKey: KEY, baseUrl: url, ...options });
}

/** This package. */
export function ours(url, total, options) {
  const archive = clientOf(url, options);
  return {
    async run() {
      const frame = await archive.scan.mentions("x").collect();
      if (frame.height !== total) throw new Error(`${frame.height} rows instead of ${total}`);
      return frame;
    },
    close: () => archive.close(),
  };
}

/**
 * The bare download: the bytes of every page; only the cursor is parsed.
 *
 * @param keeps whether to keep the bytes in memory until the end, as a frame keeps its rows
 * @param use called with the bytes of each page, and awaited
 */
export function raw(url, limit, keeps = true, use = () => undefined, query = "x") {
  const dispatcher = new Agent({ connections: 1 });
  return {
    async run() {
      const bodies = [];
      for (let cursor = ""; ; ) {
        const { body } = await request(pageUrl(url, limit, cursor, query), {
          dispatcher,
          headers: { "x-api-key": KEY },
        });
        const bytes = Buffer.from(await body.arrayBuffer());
        const head = bytes.subarray(0, 100).toString("latin1");
        if (!head.includes('"mentions"')) break;
        await use(bytes);
        if (keeps) bodies.push(bytes);
        cursor = /"cursor":"([^"]*)"/.exec(head)[1];
      }
      return bodies;
    },
    close: () => dispatcher.close(),
  };
}

/** Naive code: fetch, parse, push, and a frame at the end. */
export function naive(url, limit) {
  return {
    async run() {
      const rows = [];
      for (let cursor = ""; ; ) {
        const response = await fetch(pageUrl(url, limit, cursor), { headers: { "x-api-key": KEY } });
        const page = await response.json();
        if (page.mentions === undefined) break;
        rows.push(...page.mentions);
        cursor = page.cursor;
      }
      return pl.DataFrame(rows);
    },
    close: async () => undefined,
  };
}

function pageUrl(url, limit, cursor, query = "x") {
  return `${url}/mentions?query=${query}&limit=${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`;
}
