import { isObject } from "../../util/isObject.js";
import type { Release } from "../http/bodyPool.js";
import type { ServiceResponse } from "../http/requester.js";
import { NotScannable } from "../json/jsonBytes.js";
import { isAllowedWithoutRows, isMetadata } from "../json/metadata.js";
import { mayReportError, reportsError } from "../json/reportsError.js";
import { declaredShape, type RowShape } from "../json/rowShape.js";
import { type RowSlices, rowsBytes, rowsJson } from "../json/rowSlices.js";
import { type PageScan, scanPage } from "../json/scanPage.js";
import { operations } from "../operations/operations.js";
import type { ArchiveRequest } from "../operations/request.js";
import type { Row } from "../operations/rows.js";
import { type Redact, unreadableBody } from "./unreadableBody.js";

/** The rows of one response, located in its bytes. Values are only built on demand, by {@link pageRows}. */
export interface Page extends RowSlices {
  /** The id of each row; `undefined` for a row without one. */
  readonly ids: ReadonlyArray<number | string | undefined>;
  /** Whether every row fits the shape that it was checked against. */
  readonly uniform: boolean;
  /** Start offsets of rows not yet verified to be JSON. Parse them, or call {@link verifyRows}. */
  readonly unverified: readonly number[];
  /** Whether the white space may contain line breaks. */
  readonly hasNewlines: boolean;
  readonly cursor: string | undefined;
  /** Says that its receiver has read the bytes, whose memory may be reused. They are empty from then on. */
  readonly release: Release;
}

const NO_ROWS = { offsets: [], ids: [], unverified: [], uniform: true, hasNewlines: false } as const;

/**
 * Locates the rows and the cursor in a response.
 *
 * @throws APIError `BODY_NOT_JSON` or `UNEXPECTED_BODY`: an unreadable response is never treated as an empty page
 */
export function openPage(response: ServiceResponse, request: ArchiveRequest, shape: RowShape, redact: Redact): Page {
  const bytes = withoutByteOrderMark(response.body);
  const { rows } = operations[request.operation];
  try {
    let scan: PageScan = scanPage(bytes, rows, shape);
    if (!scan.found) scan = scanElsewhere(bytes, scan, shape, request);
    else if (rows === undefined) scan = scanSingle(bytes, scan, request);
    if (scan.failure !== undefined) throw new NotScannable(`its member ${scan.failure} reports an error`);
    const { offsets, ids, uniform, unverified, hasNewlines, cursor } = scan;
    const release = response.release ?? (() => undefined);
    return { bytes, offsets, ids, uniform, unverified, hasNewlines, cursor, release };
  } catch (error) {
    if (!(error instanceof NotScannable || error instanceof SyntaxError)) throw error;
    throw unreadableBody(response, error.message, request, redact);
  }
}

/** The rows of a page as JavaScript values, parsed by `JSON.parse`. */
export function pageRows(page: Page): Row[] {
  return JSON.parse(rowsJson(page)) as Row[];
}

/** Whether all of a response is readable. An unreadable one must not be stored, or every replay would fail. */
export function isReadable(response: ServiceResponse, request: ArchiveRequest): boolean {
  try {
    pageRows(openPage(response, request, declaredShape(operations[request.operation].columns), (text) => text));
    return true;
  } catch {
    return false;
  }
}

/**
 * Parses the unverified rows, so that the bytes of all rows can be used unchanged.
 *
 * @throws SyntaxError for a row that is not JSON
 */
export function verifyRows({ bytes, offsets, unverified }: Page): void {
  if (unverified.length === 0) return;
  const starts = new Set(unverified);
  for (let at = 0; at < offsets.length; at += 2) {
    if (starts.has(offsets[at] as number)) JSON.parse(bytes.toString("utf8", offsets[at], offsets[at + 1]));
  }
}

/** Whether two pages have the same rows, byte for byte. */
export function haveSameRows(a: Page, b: Page): boolean {
  return a.ids.length === b.ids.length && rowsBytes(a).equals(rowsBytes(b));
}

/** The page with only the rows at these positions. */
export function selectRows(page: Page, positions: readonly number[]): Page {
  return {
    ...page,
    offsets: positions.flatMap((at) => [page.offsets[2 * at] as number, page.offsets[2 * at + 1] as number]),
    ids: positions.map((at) => page.ids[at]),
  };
}

/** JSON has no byte-order mark, but some servers send one. */
function withoutByteOrderMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

/** Handles a body that is a row itself. A body of nothing but metadata has no rows. */
function scanSingle(bytes: Buffer, scan: PageScan, request: ArchiveRequest): PageScan {
  const body = JSON.parse(bytes.toString()) as Row;
  if (Object.keys(body).every(isMetadata)) return { ...scan, ...NO_ROWS };
  if (!isRow(body, request)) throw new NotScannable(`it has none of the members of a ${request.operation}`);
  const failure = Object.keys(body).find((name) => reportsError(name, body[name]));
  return failure === undefined ? scan : { ...scan, failure };
}

/** Whether an object has a declared member. If not, it may be a message from a proxy or gateway. */
function isRow(row: Row, { operation }: ArchiveRequest): boolean {
  const { columns } = operations[operation];
  return Object.keys(row).some((name) => Object.hasOwn(columns, name));
}

/**
 * Handles a body without the declared rows member: rows under another name, the row itself (a lookup), or an empty
 * result. An empty result ends a search, so a body with any other content is refused.
 */
function scanElsewhere(bytes: Buffer, scan: PageScan, shape: RowShape, request: ArchiveRequest): PageScan {
  const body = JSON.parse(bytes.toString()) as Row;
  const { rows } = operations[request.operation];
  if (rows !== undefined && body[rows] !== undefined && body[rows] !== null) {
    throw new NotScannable(`its member ${rows} is not a list`);
  }
  const members = Object.keys(body).filter((name) => !isAllowedWithoutRows(name, body[name]));
  if (members.length === 0) return scan;
  const elsewhere = members.find((name) => !mayReportError(name) && isListOfRows(body[name], request));
  if (elsewhere !== undefined) return scanPage(bytes, elsewhere, shape);
  if (request.operation === "person") return scanSingle(bytes, scanPage(bytes, undefined, shape), request);
  if (scan.failure !== undefined) return scan;
  throw new NotScannable("it has no rows, but unknown members");
}

function isListOfRows(value: unknown, request: ArchiveRequest): boolean {
  return Array.isArray(value) && value.every(isObject) && value.some((row) => isRow(row, request));
}
