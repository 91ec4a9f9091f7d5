import type { ArchiveClientOptions } from "../../src/index.js";
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
  /** Whether to reject a limit above `most` instead of clipping it. */
  readonly strict?: boolean;
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
  strict,
  row = mention,
  instead,
}: PagedOptions): Promise<ScriptedServer> {
  return startScriptedServer((request, index) => {
    const { cursor, page = "1", limit = "20" } = queryOf(request);
    if (strict && Number(limit) > most) return { status: 400, body: { message: "limit too large" } };
    const size = Math.min(Number(limit), most);
    const offset = cursor !== undefined ? Number(cursor.slice(1)) : unnumbered ? 0 : (Number(page) - 1) * size;
    const end = Math.min(rows, offset + size);
    const answer = instead?.(offset, index, request);
    if (answer !== undefined) return answer;
    if (offset >= rows) return { body: { cursor: `c${offset}` } };
    const ids = [...Array(end - offset).keys()].map((at) => offset + at + 1);
    const member = /^\/(\w+)/.exec(request.url)?.[1] ?? "mentions";
    return { body: { cursor: `c${end}`, [member]: ids.map((id) => row(id)) } };
  });
}

/** A paged server and a client of it, which are there until the test ends. */
export function pagedArchive(options: PagedOptions, clientOptions: ArchiveClientOptions<"dataframe", "polars"> = {}) {
  return served(startPagedServer(options), clientOptions);
}
