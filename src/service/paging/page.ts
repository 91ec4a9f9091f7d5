import { APIError } from "../../errors/index.js";
import { warn, warnOnce } from "../../errors/warn.js";
import { isAllowedWithoutRows, isMetadata, reportsError } from "../../pages/metadata.js";
import { declaredSchema, type RowSchema, rowsJson, type ScannedRows } from "../../pages/rows.js";
import { NotScannable, type PageScan, scanPage } from "../../pages/scanPage.js";
import type { ServiceResponse } from "../http/requester.js";
import { isSearch, operations, type Row } from "../operations/operations.js";
import type { ArchiveRequest } from "../operations/request.js";

/** The rows of one response, located in its bytes. Values are only built on demand, by {@link pageRows}. */
export interface Page extends ScannedRows {
  readonly cursor: string | undefined;
  /** The path of a member that points to a next page in an unknown form, if there is no cursor. */
  readonly unknownCursor: string | undefined;
  readonly receivedAt: Date;
}

export function openPage(response: ServiceResponse, request: ArchiveRequest, schema: RowSchema, redact: Redact): Page {
  const { body } = response;
  // JSON has no byte-order mark, but some servers send one.
  const bytes = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
  try {
    const { records, cursor, unknownCursor, failure } = scanBody(bytes, schema, request);
    if (failure !== undefined) throw new NotScannable(`its member ${failure} reports an error`);
    return { bytes, records, cursor, unknownCursor, receivedAt: response.receivedAt };
  } catch (error) {
    if (!(error instanceof NotScannable || error instanceof SyntaxError)) throw error;
    throw unreadableBodyError(response, error.message, request, redact);
  }
}

/** Finds the rows of a body: in the operation's member, or the body itself (a lookup). Without rows it may contain metadata only. */
function scanBody(bytes: Buffer, schema: RowSchema, { operation }: ArchiveRequest): PageScan {
  const { rows, columns } = operations[operation];
  const scan = scanPage(bytes, rows, schema);
  if (rows !== undefined && scan.hasRowsMember) return scan;
  const body = JSON.parse(bytes.toString()) as Row;
  if (rows !== undefined && (body[rows] ?? null) !== null) throw new NotScannable(`its member ${rows} is not a list`);
  const members = Object.keys(body);
  const isEmpty = members.every((each) => (rows ? isAllowedWithoutRows(each, body[each]) : isMetadata(each)));
  if (isEmpty) return { ...scan, records: scan.records.select([]) };
  if (isSearch(operation)) {
    if (scan.failure !== undefined) return scan;
    throw new NotScannable("it has no rows, but unknown members");
  }
  // Without a declared member, it may be a message from a proxy or gateway.
  if (!members.some((each) => Object.hasOwn(columns, each)))
    throw new NotScannable(`it has none of the members of a ${operation}`);
  return { ...scanPage(bytes, undefined, schema), failure: members.find((each) => reportsError(each, body[each])) };
}

/** The rows of a page as JavaScript values, parsed by `JSON.parse`. */
export function pageRows(page: Page): Row[] {
  return JSON.parse(rowsJson(page)) as Row[];
}

/** Like {@link openPage}, but undefined for a response that is not a page. */
export function readablePage(response: ServiceResponse, request: ArchiveRequest): Page | undefined {
  try {
    return openPage(response, request, declaredSchema(operations[request.operation].columns), String);
  } catch {
    return undefined;
  }
}

export function selectRows(page: Page, positions: readonly number[]): Page {
  return { ...page, records: page.records.select(positions) };
}

/** Removes the API key from text. */
export type Redact = (text: string) => string;

/** The error for a response that is not a page: `BODY_NOT_JSON`, or `UNEXPECTED_BODY` for JSON of another shape. */
function unreadableBodyError(
  response: ServiceResponse,
  problem: string,
  { path }: ArchiveRequest,
  redact: Redact,
): APIError {
  const { status, headers } = response;
  const text = response.body.toString().replace(/^\ufeff/, "");
  const hint = "Check that baseUrl is the address of the service and that no proxy intercepts the request.";
  const excerpt = { status, headers, body: redact(text.slice(0, 4000)).slice(0, 2000) };
  const details = { hint, method: "GET", path, statusCode: status, response: excerpt };
  const what = `GET ${path}: the response (status ${status})`;
  try {
    JSON.parse(text);
  } catch {
    return new APIError(`${what} is not valid JSON.`, { code: "BODY_NOT_JSON", ...details });
  }
  return new APIError(`${what} is JSON of an unexpected shape: ${problem}.`, { code: "UNEXPECTED_BODY", ...details });
}

/** Rows per page to request if the user sets none. */
const DEFAULT_ROWS = 1000;
/** Rows per page of the service if a request sets none. */
const SERVICE_ROWS = 20;

/** How a service refuses a limit. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([400, 413, 422]);

/** The rows per page of a client. Once the service has refused the default size, requests leave the size to it. */
export class PageSize {
  #isRefused: boolean | undefined;

  constructor(readonly userRows?: number) {}

  /** Rows to request; undefined leaves it to the service. */
  get rows(): number | undefined {
    return this.userRows ?? (this.#isRefused ? undefined : DEFAULT_ROWS);
  }

  /** Rows of a full page. */
  get full(): number {
    return this.rows ?? SERVICE_ROWS;
  }

  /** Whether a first page may have failed because of its size, so that it is worth one request without a size. */
  mayBeRefused(limit: number, error: unknown): error is APIError {
    if (this.userRows !== undefined || limit <= SERVICE_ROWS || this.#isRefused === false) return false;
    return error instanceof APIError && REFUSALS.has(error.statusCode);
  }

  accept(): void {
    this.#isRefused ??= false;
  }

  /** Called once the first page, refused with a size, has arrived without one. */
  refuse(limit: number, { statusCode }: APIError): void {
    this.#isRefused = true;
    warn(
      "PAGE_SIZE",
      `The service refuses pages of ${limit} rows (${statusCode}), but not pages of its default size: this client requests those from now on. To choose the size, set pageSize.`,
    );
  }
}

/** Warns once that a single page has fewer rows than requested. Small results have a cursor, too, but only a cap is a round number. */
export function warnOfFewer(limit: number, rows: number): void {
  if (rows === 0 || rows % 10 !== 0) return;
  warnOnce(
    "FEWER_ROWS",
    `The service sent a page of ${rows} rows, although ${limit} were requested and there are more: it may cap the size of a page. To get more rows, set maxItems, which fetches as many pages as needed.`,
  );
}
