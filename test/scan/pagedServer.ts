import type { ArchiveClientOptions, PolarsFrame } from "../../src/index.js";
import { mention, queryOf, served } from "../client/clientTo.js";
import {
  type ScriptedAnswer,
  type ScriptedServer,
  type SeenRequest,
  startScriptedServer,
} from "../service/scriptedServer.js";

/** Options of a paged server. */
export interface PagedOptions {
  /** Number of rows. */
  readonly rows: number;
  /** Maximum number of rows per page. */
  readonly most?: number;
  /** Whether to ignore page numbers. */
  readonly unnumbered?: boolean;
  /** Replaces the members of a row. */
  readonly row?: (id: number) => object;
  /** A response instead of the page, or undefined for the page. */
  readonly instead?: (offset: number, index: number, request: SeenRequest) => ScriptedAnswer | undefined;
}

/** Serves mentions (or what the path names) 1, 2, … by cursor, page and limit like the service: every page has a cursor, the last page is empty. */
export function startPagedServer({
  rows,
  most = 1000,
  unnumbered,
  row = mention,
  instead,
}: PagedOptions): Promise<ScriptedServer> {
  return startScriptedServer((request, index) => {
    const { cursor, page = "1", limit = "20" } = queryOf(request);
    const size = Math.min(Number(limit), most);
    const offset = cursor !== undefined ? Number(cursor.slice(1)) : unnumbered ? 0 : (Number(page) - 1) * size;
    const end = Math.min(rows, offset + size);
    const answer = instead?.(offset, index, request);
    if (answer !== undefined) return answer;
    if (offset >= rows) return { body: { cursor: `c${offset}` } };
    const member = /^\/(\w+)/.exec(request.url)?.[1] ?? "mentions";
    return { body: { cursor: `c${end}`, [member]: upTo(end - offset).map((id) => row(offset + id)) } };
  });
}

/** One answer instead of the page at an offset, the first time that it is requested. */
export function onceAt(offset: number, answer: ScriptedAnswer): PagedOptions["instead"] {
  let isLeft = true;
  return (requested) => {
    if (requested !== offset || !isLeft) return undefined;
    isLeft = false;
    return answer;
  };
}

/** The numbers from 1, of which the ids of rows are made. */
export const upTo = (count: number): number[] => [...Array(count).keys()].map((at) => at + 1);

/** The ids of the rows of a frame, as numbers. */
export const idsOf = (frame: PolarsFrame): number[] => frame.getColumn("id").toArray().map(Number);

/** Adds the ids of each frame to a list, also of those before an error. */
export async function idsInto(ids: number[], frames: AsyncIterable<PolarsFrame>): Promise<void> {
  for await (const frame of frames) ids.push(...idsOf(frame));
}

/** Everything that an iteration gives. */
export async function allOf<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of iterable) all.push(one);
  return all;
}

/** A paged server and a client of it, which asks for pages of 100 rows by default. They are there until the test ends. */
export function pagedArchive(options: PagedOptions, clientOptions: ArchiveClientOptions<"dataframe", "polars"> = {}) {
  return served(startPagedServer(options), { pageSize: 100, ...clientOptions });
}
