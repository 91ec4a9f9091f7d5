import { type AnyFetchedResult, ArchiveError } from "../errors/index.js";
import { abortSignal, boolean, checkedOptions, faulty, nonNegativeInteger, oneOf, show } from "../errors/validators.js";
import { warnOnce } from "../errors/warn.js";
import { toCsv } from "../files/saveFrame.js";
import { ENGINES, type Engine, type FrameTypes, inEngine, loadEngine } from "../frames/engine.js";
import { FrameBuilder, UnusablePageError } from "../frames/frameBuilder.js";
import type { PolarsFrame } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import { declaredSchema, type RowSchema } from "../pages/rows.js";
import { firstArgument, isSearch, type OperationName, operations, type Row } from "../service/operations/operations.js";
import { type ArchiveRequest, buildRequest } from "../service/operations/request.js";
import { type Page, pageRows } from "../service/paging/page.js";
import { type PaginationOptions, paginate } from "../service/paging/pagination.js";
import { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { quoted } from "../util/text.js";
import { FORMATS, type Format } from "./callOptions.js";
import type { ClientContext } from "./clientContext.js";
import { type ProgressEvent, progressOf } from "./progress.js";

export interface CheckedCall {
  readonly request: ArchiveRequest;
  readonly format: Format;
  readonly engine: Engine;
  readonly maxItems: number | undefined;
  readonly signal: AbortSignal | undefined;
}

const COMMON_OPTIONS = ["format", "engine", "signal", "unchecked"];

export function checkCall(
  operation: OperationName,
  argument: unknown,
  options: object | undefined,
  defaults: { readonly outputFormat: Format; readonly engine: Engine },
  callOptions: readonly string[] = isSearch(operation) ? [...COMMON_OPTIONS, "maxItems"] : COMMON_OPTIONS,
): CheckedCall {
  const positional = argument ?? undefined;
  const name = firstArgument(operation);
  const names = [...Object.keys(operations[operation].parameters), ...callOptions];
  const checked = checkedOptions(options as Record<string, unknown> | undefined, names, `option of ${operation}`);
  if (positional !== undefined && checked[name] !== undefined) {
    const hint = `Give it once, for example ${operation}(${show(positional)}).`;
    throw faulty(name, `it was given twice, as ${show(positional)} and as ${show(checked[name])}`, hint);
  }
  const { format, engine, maxItems, signal, unchecked } = checked;
  if (unchecked !== undefined) boolean("unchecked", unchecked);
  const call = {
    request: buildRequest(operation, positional === undefined ? checked : { ...checked, [name]: positional }),
    format: format === undefined ? defaults.outputFormat : oneOf("format", format, FORMATS),
    engine: engine === undefined ? defaults.engine : oneOf("engine", engine, ENGINES),
    maxItems: maxItems === undefined ? undefined : checkedMaxItems(maxItems),
    signal: signal === undefined ? undefined : abortSignal("signal", signal),
  };
  // The client has already loaded its default engine.
  if (engine !== undefined && call.format === "dataframe") loadEngine(call.engine);
  return call;
}

/** Checks a number of rows; `Infinity` means all. */
export function checkedMaxItems(maxItems: unknown): number {
  return maxItems === Number.POSITIVE_INFINITY ? maxItems : nonNegativeInteger("maxItems", maxItems, 500);
}

type PageBounds = Pick<PaginationOptions, "ahead" | "maxPages" | "budget"> & Pick<ProgressEvent, "resumed">;

/** Fetches the pages of a call with the client's settings, and reports progress. */
export async function* callPages(
  client: ClientContext,
  { request, maxItems, signal }: Pick<CheckedCall, "request" | "maxItems" | "signal">,
  recorder: ProvenanceRecorder,
  schema: () => RowSchema,
  { resumed, ...bounds }: PageBounds = {},
): AsyncGenerator<Page, void, undefined> {
  const { requester, redact, output } = client;
  const { pageSize, host } = output;
  const progress = output.progress === false ? undefined : progressOf(output.progress, recorder, { maxItems, resumed });
  recorder.onRetry = (delay) => progress?.report(delay);
  const options = { requester, redact, recorder, schema, maxItems, pageSize, ...bounds };
  try {
    for await (const page of paginate(request, { ...options, signals: [signal, host.signal] })) {
      progress?.report();
      yield page;
    }
    if (recorder.rows === 0 && maxItems !== 0) warnOfNoRows(request);
  } finally {
    progress?.end();
  }
}

/** Runs a checked call and returns its result in the format of the call. */
export async function execute(client: ClientContext, call: CheckedCall): Promise<unknown> {
  const { request, format, engine, maxItems } = call;
  const { operation } = request;
  const { columns } = operations[operation];
  const recorder = new ProvenanceRecorder(request, client);
  const builder = new FrameBuilder(columns);
  const rows: Row[] = [];
  let body: Buffer | undefined;
  let frame: PolarsFrame | undefined;
  const frameSoFar = () => {
    frame ??= format === "dataframe" ? builder.take() : toDataFrame(rows, { operation });
    return frame;
  };
  const bounds = { maxPages: maxItems === undefined && isSearch(operation) ? 1 : undefined, ahead: () => true };
  try {
    for await (const page of callPages(client, call, recorder, () => builder.schema, bounds)) {
      if (format === "dataframe") builder.add(page);
      else for (const row of pageRows(page)) rows.push(row);
      body = page.bytes;
    }
  } catch (error) {
    throw withPartial(client, recorder, frameSoFar, error);
  }
  const resultOf = () => {
    if (format === "dataframe") return inEngine(frameSoFar(), engine);
    if (format === "csv") return toCsv(rows, { columns: Object.keys(columns) });
    return format === "json" && maxItems === undefined ? JSON.parse(String(body)) : rows;
  };
  const result = resultOf();
  remember(client, recorder, frameSoFar);
  return setProvenance(result, recorder.provenance());
}

/** Yields the rows of a search one by one. They are not kept, so the frame of `lastResult()` is empty. */
export async function* iterRecords(client: ClientContext, call: CheckedCall): AsyncGenerator<Row, void, undefined> {
  const { operation } = call.request;
  const recorder = new ProvenanceRecorder(call.request, client);
  const schema = declaredSchema(operations[operation].columns);
  const frame = () => toDataFrame([], { operation });
  let hasFailed = false;
  try {
    for await (const page of callPages(client, call, recorder, () => schema)) yield* pageRows(page);
  } catch (error) {
    hasFailed = true;
    throw withPartial(client, recorder, frame, error);
  } finally {
    if (!hasFailed) remember(client, recorder, frame);
  }
}

/** The error to throw for a failed call. The rows so far become its `partial` and the client's last result. */
export function withPartial(
  client: ClientContext,
  recorder: ProvenanceRecorder,
  frame: () => PolarsFrame,
  error: unknown,
  method?: string,
): unknown {
  // The provenance must not count an unusable page, nor the pages fetched ahead of it.
  if (error instanceof UnusablePageError) recorder.rewind(error.pages, error.rows, error.cause.code);
  const cause = error instanceof UnusablePageError ? error.cause : error;
  const result = remember(client, recorder, frame, method);
  if (cause instanceof ArchiveError && recorder.pages > 0) cause.partial = result;
  return cause;
}

/**
 * Makes the state of a recorder the last result of the client. Its frame, in the engine of the client, is built on first access.
 *
 * @param method the method that combined several requests. Default: the operation of the recorder
 */
export function remember(
  client: ClientContext,
  recorder: ProvenanceRecorder,
  build: () => PolarsFrame,
  method?: string,
): AnyFetchedResult {
  const { request, rows, pages, requests, cursor } = recorder;
  const { engine } = client.output;
  const query = method === undefined ? new Map(request.query).get("query") : undefined;
  let frame: FrameTypes[Engine] | undefined;
  const result = {
    operation: method ?? request.operation,
    query,
    engine,
    rows,
    pages,
    requests,
    cursor,
    get frame() {
      if (frame === undefined) {
        const polarsFrame = build();
        frame = setProvenance(inEngine(polarsFrame, engine), provenanceOf(polarsFrame) ?? recorder.provenance());
      }
      return frame;
    },
  } as AnyFetchedResult;
  client.remember(result);
  return result;
}

/** Operators that only program searches support. */
const OPERATORS = /\b(?:AND|OR|NOT)\b|\*|\b(\w+):\S/;
const FIRST_DAY = "1979-03-19";

/** Warns once why a search or lookup has no rows, if its parameters explain it. */
export function warnOfNoRows({ operation, path, query: pairs }: ArchiveRequest): void {
  const { cursor, page, query, ...parameters } = Object.fromEntries(pairs);
  if (cursor !== undefined || page !== undefined) return;
  const subject = query === undefined ? "" : ` for ${quoted(query)}`;
  const warn = (code: string, why: string) =>
    warnOnce(code, `No ${operations[operation].noun} was found${subject}: ${why}`);
  const [operator] = OPERATORS.exec(query ?? "") ?? [];
  const id = operation === "person" ? decodeURIComponent(path.split("/").at(-1) ?? "") : parameters.personid;
  const { date, mindate = date, maxdate = date } = parameters;
  if (operator !== undefined && operation !== "programsSearch") {
    const supported = operation === "people" ? "a name or a title" : "a word or a phrase";
    const hint = "Search for each phrase separately, or use archive.programsSearch.";
    warn("QUERY_OPERATORS", `${operation} take ${supported}, not ${quoted(operator)}. ${hint}`);
  } else if (id !== undefined && /^\p{L}[\p{L}\s,.'-]*$/u.test(id)) {
    const hint = `Find the id with archive.people(${quoted(id)}).`;
    warn("PERSON_NAME", `${quoted(id)} is a name, not the id of a person. ${hint}`);
  } else if (mindate !== undefined && mindate > new Date().toISOString().slice(0, 10)) {
    warn("DATES", `${mindate} is in the future.`);
  } else if (maxdate !== undefined && maxdate < FIRST_DAY)
    warn("DATES", `${maxdate} is before ${FIRST_DAY}, the first day of C-SPAN.`);
}
