import { APIError } from "../../errors/index.js";
import { isAllowedWithoutRows, isMetadata, reportsError } from "../../pages/metadata.js";
import { declaredShape, type RowShape, rowsJson, type ScannedRows } from "../../pages/rows.js";
import { NotScannable, type PageScan, scanPage } from "../../pages/scanPage.js";
import type { ServiceResponse } from "../http/requester.js";
import { isSearch, operations } from "../operations/operations.js";
import type { ArchiveRequest } from "../operations/request.js";
import type { Row } from "../operations/rows.js";

/** The rows of one response, located in its bytes. Values are only built on demand, by {@link pageRows}. */
export interface Page extends ScannedRows {
  readonly cursor: string | undefined;
  /** The name of a member that points to a next page in a form that is not known. Without a cursor only. */
  readonly unknownCursor: string | undefined;
  readonly receivedAt: Date;
}

export function openPage(response: ServiceResponse, request: ArchiveRequest, shape: RowShape, redact: Redact): Page {
  const { body } = response;
  // JSON has no byte-order mark, but some servers send one.
  const bytes = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
  const { rows } = operations[request.operation];
  try {
    let scan = scanPage(bytes, rows, shape);
    if (!scan.found) scan = scanElsewhere(bytes, scan, shape, request);
    else if (rows === undefined) scan = scanSingle(bytes, scan, request);
    if (scan.failure !== undefined) throw new NotScannable(`its member ${scan.failure} reports an error`);
    const { tape, cursor, unknownCursor } = scan;
    return { bytes, tape, cursor, unknownCursor, receivedAt: response.receivedAt };
  } catch (error) {
    if (!(error instanceof NotScannable || error instanceof SyntaxError)) throw error;
    throw unreadableBody(response, error.message, request, redact);
  }
}

/** The rows of a page as JavaScript values, parsed by `JSON.parse`. */
export function pageRows(page: Page): Row[] {
  return JSON.parse(rowsJson(page)) as Row[];
}

/** The page of a response; undefined if it is not readable. */
export function readablePage(response: ServiceResponse, request: ArchiveRequest): Page | undefined {
  try {
    return openPage(response, request, declaredShape(operations[request.operation].columns), (text) => text);
  } catch {
    return undefined;
  }
}

export function selectRows(page: Page, positions: readonly number[]): Page {
  return { ...page, tape: page.tape.select(positions) };
}

/** Handles a body that is a row itself. A body of nothing but metadata has no rows. */
function scanSingle(bytes: Buffer, scan: PageScan, request: ArchiveRequest): PageScan {
  const body = JSON.parse(bytes.toString()) as Row;
  if (Object.keys(body).every(isMetadata)) {
    return { ...scan, tape: scan.tape.select([]) };
  }
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
 * Handles a body without the declared rows member: the same member in another letter case, the row itself (a lookup), or an
 * empty result. It ends a search, so a body with any other content is refused.
 */
function scanElsewhere(bytes: Buffer, scan: PageScan, shape: RowShape, request: ArchiveRequest): PageScan {
  const body = JSON.parse(bytes.toString()) as Row;
  const rows = operations[request.operation].rows as string;
  const name = Object.keys(body).find((each) => each.toLowerCase() === rows && body[each] !== null);
  if (name !== undefined) {
    if (!Array.isArray(body[name])) throw new NotScannable(`its member ${name} is not a list`);
    return scanPage(bytes, name, shape);
  }
  const members = Object.keys(body).filter((each) => !isAllowedWithoutRows(each, body[each]));
  if (members.length === 0) return scan;
  const isLookup = !isSearch(request.operation);
  if (isLookup && isRow(body, request)) return scanSingle(bytes, scanPage(bytes, undefined, shape), request);
  if (scan.failure !== undefined && !isLookup) return scan;
  if (isLookup) throw new NotScannable(`it has none of the members of a ${request.operation}`);
  throw new NotScannable("it has no rows, but unknown members");
}

/** Removes the API key from text. */
export type Redact = (text: string) => string;

const HINT = "Check that baseUrl is the address of the service and that no proxy intercepts the request.";

/** The error for a response that is not a page: `BODY_NOT_JSON`, or `UNEXPECTED_BODY` for JSON of another shape. */
function unreadableBody(
  response: ServiceResponse,
  problem: string,
  { path }: ArchiveRequest,
  redact: Redact,
): APIError {
  const { status, headers } = response;
  const text = response.body.toString().replace(/^\ufeff/, "");
  const details = {
    hint: HINT,
    method: "GET",
    path,
    statusCode: status,
    response: { status, headers, body: redact(text.slice(0, 4000)).slice(0, 2000) },
  };
  const what = `GET ${path}: the response (status ${status})`;
  try {
    JSON.parse(text);
  } catch (error) {
    const cause = new SyntaxError(redact((error as Error).message));
    return new APIError(`${what} is not valid JSON.`, { code: "BODY_NOT_JSON", ...details, cause });
  }
  return new APIError(`${what} is JSON of an unexpected shape: ${problem}.`, { code: "UNEXPECTED_BODY", ...details });
}
