import { connect } from "node:net";
import { afterAll } from "vitest";
import { ArchiveClient } from "../../src/index.js";
import {
  type EmbeddedArchive,
  type EmbeddedArchiveOptions,
  type GeneratedArchiveOptions,
  startEmbeddedArchive,
  startGeneratedArchive,
} from "../tools/startGenerated.js";

/** A JSON object as it came; tests narrow what they read. */
export type Body = Record<string, unknown>;
/** A row as it came. */
export type Row = Record<string, unknown>;
/** Parameters of a request. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** Sends a GET with the key and gives status, headers, text and parsed body. */
export async function ask(archive: EmbeddedArchive, path: string, query: Query = {}, init: RequestInit = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const mark = search.size > 0 ? "?" : "";
  const answer = await fetch(`${archive.baseUrl}${path}${mark}${search}`, {
    headers: { "x-api-key": archive.apiKey },
    ...init,
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) as Body };
}

/** The rows of a body, none where the member is absent. */
export function rowsOf(body: Body, member: string): Row[] {
  return (body[member] ?? []) as Row[];
}

/** Follows the cursor until a page without rows; gives every row and the last page. */
export async function followCursor(archive: EmbeddedArchive, path: string, member: string, query: Query = {}) {
  const rows: Row[] = [];
  const sizes: number[] = [];
  let { body } = await ask(archive, path, query);
  while (rowsOf(body, member).length > 0) {
    rows.push(...rowsOf(body, member));
    sizes.push(rowsOf(body, member).length);
    ({ body } = await ask(archive, path, { ...query, cursor: String(body.cursor) }));
  }
  return { rows, sizes, last: body };
}

/** One member of every row. */
export function column(rows: readonly Row[], name: string): unknown[] {
  return rows.map((row) => row[name]);
}

export const portOf = (archive: EmbeddedArchive): number => Number(new URL(archive.baseUrl).port);

/** Sends raw bytes and gives all that comes back until the server hangs up. */
export async function sendRaw(archive: EmbeddedArchive, bytes: string | Buffer): Promise<string> {
  const socket = connect(portOf(archive), "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  // A server that refuses a request before all of it came resets the connection after its answer.
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.end(bytes);
  await closed;
  return Buffer.concat(chunks).toString("latin1");
}

/** An embedded archive, which is there until the tests of the file have ended. */
export async function embeddedArchive(options?: EmbeddedArchiveOptions): Promise<EmbeddedArchive> {
  return untilTheEnd(await startEmbeddedArchive(options));
}

/** The same with a generated corpus, whose size and truth are known. */
export async function generatedArchive(options?: GeneratedArchiveOptions): Promise<EmbeddedArchive> {
  return untilTheEnd(await startGeneratedArchive(options));
}

/** A client of an embedded archive. */
export async function embeddedClient() {
  return clientOf(await embeddedArchive());
}

/** A client of a generated archive. */
export async function generatedClient(options?: GeneratedArchiveOptions) {
  return clientOf(await generatedArchive(options));
}

function untilTheEnd(archive: EmbeddedArchive): EmbeddedArchive {
  afterAll(() => archive.close());
  return archive;
}

function clientOf(server: EmbeddedArchive) {
  const archive = new ArchiveClient({ apiKey: server.apiKey, baseUrl: server.baseUrl, progress: false });
  afterAll(() => archive.close());
  return { server, archive };
}
