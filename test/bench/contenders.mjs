/**
 * The ways to harvest a chain of pages that are compared. Each follows the cursor to the page without rows, with the
 * same requests.
 */
import pl from "nodejs-polars";
import { Agent, request } from "undici";
import { ArchiveClient } from "../../dist/index.js";

/** A client of the server on loopback. */
export function clientOf(url, options = {}) {
  return new ArchiveClient({ apiKey: "bench", baseUrl: url, ...options });
}

/** Ours. */
export async function ours(url, total, options) {
  const archive = clientOf(url, options);
  const frame = await archive.scan.mentions("x").collect();
  await archive.close();
  if (frame.height !== total) throw new Error(`${frame.height} rows came instead of ${total}`);
  return frame;
}

/** The bare download: the bytes of every page, and nothing read but the cursor. */
export async function raw(url, limit) {
  const dispatcher = new Agent({ connections: 1 });
  const bodies = [];
  for (let cursor = ""; ; ) {
    const { body } = await request(`${url}/mentions?query=x&limit=${limit}${cursor}`, { dispatcher });
    const bytes = Buffer.from(await body.arrayBuffer());
    const head = bytes.subarray(0, 100).toString("latin1");
    if (!head.includes('"mentions"')) break;
    bodies.push(bytes);
    cursor = `&cursor=${/"cursor":"([^"]*)"/.exec(head)[1]}`;
  }
  await dispatcher.close();
  return bodies;
}

/** The plain way: fetch, parse, push, and a frame at the end. */
export async function plain(url, limit) {
  const rows = [];
  for (let cursor = ""; ; ) {
    const response = await fetch(`${url}/mentions?query=x&limit=${limit}${cursor}`);
    const page = await response.json();
    if (page.mentions === undefined) break;
    rows.push(...page.mentions);
    cursor = `&cursor=${page.cursor}`;
  }
  return pl.DataFrame(rows);
}
