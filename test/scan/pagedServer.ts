import { mention, queryOf } from "../client/clientTo.js";
import {
  type ScriptedAnswer,
  type ScriptedServer,
  type SeenRequest,
  startScriptedServer,
} from "../service/scriptedServer.js";

/** How a paged server answers. */
export interface PagedOptions {
  /** Rows there are. */
  readonly rows: number;
  /** The most rows of a page. */
  readonly most?: number;
  /** Page numbers are ignored. */
  readonly unnumbered?: boolean;
  /** A limit above `most` is refused instead of cut. */
  readonly strict?: boolean;
  /** What takes the place of a row's members. */
  readonly row?: (id: number) => object;
  /** Answers in place of the page; undefined for the page. */
  readonly instead?: (offset: number, index: number, request: SeenRequest) => ScriptedAnswer | undefined;
}

/** Mentions 1, 2, … by cursor, page and limit, as the service gives them: a cursor on every page, the last one empty. */
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
    return { body: { cursor: `c${end}`, mentions: ids.map((id) => row(id)) } };
  });
}
