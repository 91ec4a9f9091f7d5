import { APIError, type ErrorCode } from "../../errors/index.js";
import { isObject } from "../../util/isObject.js";
import type { ServiceResponse } from "../http/requester.js";
import { NotScannable } from "../json/jsonBytes.js";
import { isAllowedWithoutRows, isMetadata } from "../json/metadata.js";
import { mayReportError, reportsError } from "../json/reportsError.js";
import type { RowShape } from "../json/rowShape.js";
import { type PageScan, scanPage } from "../json/scanPage.js";
import { operations, type Row } from "../operations/operations.js";
import type { ArchiveRequest } from "../operations/request.js";

/** The rows of one response: where they stand in its bytes. Values are only made when they are asked for. */
export interface Page {
  readonly bytes: Buffer;
  /** Start and end of each row in the bytes, in order. */
  readonly spans: readonly number[];
  /** What identifies each row: its id, or `undefined` where it has none. */
  readonly ids: ReadonlyArray<number | string | undefined>;
  /** Every row fits the shape it was checked against. */
  readonly plain: boolean;
  /** Where rows begin that nobody has checked to be JSON: whoever does not parse the rows has to. */
  readonly walked: readonly number[];
  /** The white space may hold line breaks. */
  readonly broken: boolean;
  readonly cursor: string | undefined;
}

/** Takes a secret out of a text. */
export type Redact = (text: string) => string;

const EMPTY = { spans: [], ids: [], walked: [], plain: true, broken: false } as const;

/**
 * Finds rows and cursor of a response.
 *
 * @throws APIError `BODY_NOT_JSON` or `UNEXPECTED_BODY`: what cannot be read is never taken for an empty page
 */
export function openPage(response: ServiceResponse, request: ArchiveRequest, shape: RowShape, redact: Redact): Page {
  const bytes = withoutMark(response.body);
  const { rows } = operations[request.operation];
  try {
    let scan: PageScan = scanPage(bytes, rows, shape);
    if (!scan.found) scan = scanElsewhere(bytes, scan, shape, request);
    else if (rows === undefined) scan = scanSingle(bytes, scan, request);
    if (scan.failure !== undefined) throw new NotScannable(`its member ${scan.failure} reports an error`);
    const { spans, ids, plain, walked, broken, cursor } = scan;
    return { bytes, spans, ids, plain, walked, broken, cursor };
  } catch (error) {
    if (!(error instanceof NotScannable || error instanceof SyntaxError)) throw error;
    throw unreadable(bytes, error.message, response, request, redact);
  }
}

/** The rows of a page as JavaScript values, decoded as `JSON.parse` does. */
export function pageRows({ bytes, spans }: Page): Row[] {
  const rows: string[] = [];
  for (let at = 0; at < spans.length; at += 2) rows.push(bytes.toString("utf8", spans[at], spans[at + 1]));
  return JSON.parse(`[${rows.join(",")}]`) as Row[];
}

/**
 * Makes sure of the rows that nobody has checked, so that all rows can be used as they stand in the bytes.
 *
 * @throws SyntaxError where one is not JSON
 */
export function checkWalked({ bytes, spans, walked }: Page): void {
  if (walked.length === 0) return;
  const starts = new Set(walked);
  for (let at = 0; at < spans.length; at += 2) {
    if (starts.has(spans[at] as number)) JSON.parse(bytes.toString("utf8", spans[at], spans[at + 1]));
  }
}

/** Whether two pages have the same rows in the same bytes. */
export function haveSameRows(a: Page, b: Page): boolean {
  return a.ids.length === b.ids.length && allRows(a).equals(allRows(b));
}

function allRows({ bytes, spans }: Page): Buffer {
  return bytes.subarray(spans[0] ?? 0, spans.at(-1) ?? 0);
}

/** The page with only some of its rows. */
export function keepRows(page: Page, kept: readonly number[]): Page {
  return {
    ...page,
    spans: kept.flatMap((at) => [page.spans[2 * at] as number, page.spans[2 * at + 1] as number]),
    ids: kept.map((at) => page.ids[at]),
  };
}

/** A byte-order mark is no JSON, but some servers send one. */
function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

/** A body that is the row itself; one that says nothing is no row. */
function scanSingle(bytes: Buffer, scan: PageScan, request: ArchiveRequest): PageScan {
  const body = JSON.parse(bytes.toString()) as Row;
  if (Object.keys(body).every(isMetadata)) return { ...scan, ...EMPTY };
  if (!isRow(body, request)) throw noRow(request);
  const failure = Object.keys(body).find((name) => reportsError(name, body[name]));
  return failure === undefined ? scan : { ...scan, failure };
}

/** Whether an object has anything that the service declares: otherwise it is a message of whoever answers in its place. */
function isRow(row: Row, { operation }: ArchiveRequest): boolean {
  const { columns } = operations[operation];
  return Object.keys(row).some((name) => Object.hasOwn(columns, name));
}

function noRow({ operation }: ArchiveRequest): NotScannable {
  return new NotScannable(`it has none of the members of a ${operation}`);
}

/**
 * Where the declared rows member is absent: rows under another name, the row itself (a look-up), or an empty result. The
 * last is the end of a search, so a body that says anything else is not taken for it.
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
  throw new NotScannable("it has neither rows nor a cursor alone");
}

function isListOfRows(value: unknown, request: ArchiveRequest): boolean {
  return Array.isArray(value) && value.every(isObject) && value.some((row) => isRow(row, request));
}

function unreadable(
  bytes: Buffer,
  what: string,
  response: ServiceResponse,
  request: ArchiveRequest,
  redact: Redact,
): APIError {
  const text = bytes.toString();
  let code: ErrorCode = "UNEXPECTED_BODY";
  let problem = `with JSON of another shape: ${what}.`;
  let cause: unknown;
  try {
    JSON.parse(text);
  } catch (error) {
    code = "BODY_NOT_JSON";
    problem = "with a body that is not JSON.";
    cause = new SyntaxError(redact((error as Error).message));
  }
  const { status, headers } = response;
  return new APIError(`GET ${request.path} answered ${status} ${problem}`, {
    code,
    hint: "Check that baseUrl is the address of the service and that no proxy answers in its place.",
    method: "GET",
    path: request.path,
    statusCode: status,
    response: { status, headers, body: redact(text.slice(0, 4000)).slice(0, 2000) },
    cause,
  });
}
