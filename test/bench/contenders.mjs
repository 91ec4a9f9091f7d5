/**
 * The ways to harvest a chain of pages that are compared. Each follows the cursor to the page without rows, with the
 * same requests. Each is opened once and can then run several times with the same connections.
 */
import pl from "nodejs-polars";
import { Agent, request } from "undici";
import { ArchiveClient } from "../../dist/index.js";

/** As long as the keys that services give out: the search for the key in bodies depends on its length. */
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
      if (frame.height !== total) throw new Error(`${frame.height} rows came instead of ${total}`);
      return frame;
    },
    close: () => archive.close(),
  };
}

/**
 * The bare download: the bytes of every page, of which only the cursor is read.
 *
 * @param keeps whether the bytes stay in memory until the end, as the rows of a frame do
 */
export function raw(url, limit, keeps = true) {
  const dispatcher = new Agent({ connections: 1 });
  return {
    async run() {
      const bodies = [];
      for (let cursor = ""; ; ) {
        const { body } = await request(pageUrl(url, limit, cursor), { dispatcher, headers: { "x-api-key": KEY } });
        const bytes = Buffer.from(await body.arrayBuffer());
        const head = bytes.subarray(0, 100).toString("latin1");
        if (!head.includes('"mentions"')) break;
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

function pageUrl(url, limit, cursor) {
  return `${url}/mentions?query=x&limit=${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`;
}
