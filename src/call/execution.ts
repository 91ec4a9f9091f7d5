import { type AnyFetchedResult, ArchiveError, type FetchedResult } from "../errors/index.js";
import { abortSignal, boolean, checkedOptions, faulty, nonNegativeInteger, oneOf, show } from "../errors/validators.js";
import { toCsv } from "../files/toCsv.js";
import { ENGINES, type Engine, type FrameTypes, inEngine, isPolarsFrame, loadEngine } from "../frames/engine.js";
import { FrameBuilder, UnusablePageError } from "../frames/frameBuilder.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import { declaredShape, type RowShape } from "../pages/rows.js";
import type { Row } from "../service/operations/interfaces.js";
import { isSearch, type OperationName, operations } from "../service/operations/operations.js";
import { type ArchiveRequest, buildRequest } from "../service/operations/request.js";
import { type Page, pageRows } from "../service/paging/page.js";
import { type PaginationOptions, paginate } from "../service/paging/pagination.js";
import { ProvenanceRecorder } from "../service/paging/provenanceRecorder.js";
import { FORMATS, type Format } from "./callOptions.js";
import type { ClientContext } from "./clientContext.js";
import { warnOfNoRows } from "./noRows.js";
import { notebookHost } from "./notebookHost.js";
import { progressOf } from "./progress.js";

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
  first: unknown,
  options: object | undefined,
  defaults: { readonly outputFormat: Format; readonly engine: Engine },
  callOptions: readonly string[] = isSearch(operation) ? [...COMMON_OPTIONS, "maxItems"] : COMMON_OPTIONS,
): CheckedCall {
  const positional = first ?? undefined;
  const { parameters, first: name } = operations[operation];
  const names = [...Object.keys(parameters), ...callOptions];
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
  if (call.format === "dataframe") loadEngine(call.engine);
  return call;
}

/** Checks a number of rows; `Infinity` means all. */
export function checkedMaxItems(maxItems: unknown): number {
  return maxItems === Number.POSITIVE_INFINITY ? maxItems : nonNegativeInteger("maxItems", maxItems, 500);
}

/** Limits of a pagination, and whether it fetches pages ahead. */
export type PageBounds = Partial<Pick<PaginationOptions, "ahead" | "maxPages" | "budget">>;

/** Fetches the pages of a call with the client's settings, and reports progress. */
export async function* callPages(
  client: ClientContext,
  { request, maxItems, signal }: Pick<CheckedCall, "request" | "maxItems" | "signal">,
  recorder: ProvenanceRecorder,
  shape: () => RowShape,
  bounds: PageBounds = {},
): AsyncGenerator<Page, void, undefined> {
  const { requester, redact, output } = client;
  const { pageSize } = output;
  const progress = progressOf(output.progress, recorder, { maxItems });
  recorder.onRetry = (delay) => progress?.report(delay);
  const options = { requester, redact, recorder, shape, maxItems, pageSize, ...bounds };
  try {
    for await (const page of paginate(request, { ...options, signals: [signal, notebookHost().signal] })) {
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
  const isFrame = format === "dataframe";
  const frame = () => (isFrame ? inEngine(builder.take(), engine) : toDataFrame(rows, { engine, operation }));
  try {
    const bounds = {
      maxPages: maxItems === undefined && isSearch(operation) ? 1 : undefined,
      ahead: () => true,
    };
    for await (const page of callPages(client, call, recorder, () => builder.shape, bounds)) {
      if (isFrame) builder.add(page);
      else for (const row of pageRows(page)) rows.push(row);
      body = page.bytes;
    }
    const result = isFrame
      ? frame()
      : format === "csv"
        ? toCsv(rows, { columns: Object.keys(columns) })
        : format === "json" && maxItems === undefined
          ? JSON.parse(String(body))
          : rows;
    setProvenance(result, recorder.provenance());
    client.remember(fetchedResult(recorder, engine, isFrame ? () => result : frame));
    return result;
  } catch (error) {
    throw withPartial(client, call, recorder, { rows: builder.rows, frame }, error);
  }
}

/** Yields the rows of a search one by one without keeping them: the frame of `lastResult()`, also of an iteration that the caller leaves, is empty. */
export async function* iterRecords(client: ClientContext, call: CheckedCall): AsyncGenerator<Row, void, undefined> {
  const { request, engine } = call;
  const { operation } = request;
  const recorder = new ProvenanceRecorder(request, client);
  const shape = declaredShape(operations[operation].columns);
  const collected = { rows: 0, frame: () => toDataFrame([], { engine, operation }) };
  let hasFailed = false;
  try {
    for await (const page of callPages(client, call, recorder, () => shape)) yield* pageRows(page);
  } catch (error) {
    hasFailed = true;
    throw withPartial(client, call, recorder, collected, error);
  } finally {
    if (!hasFailed) client.remember(fetchedResult(recorder, engine, collected.frame));
  }
}

/** The error to throw for a failed call, with the rows so far as `partial`; `lastResult` returns them too. */
export function withPartial(
  client: ClientContext,
  { engine }: Pick<CheckedCall, "engine">,
  recorder: ProvenanceRecorder,
  collected: { readonly rows: number; frame(): FrameTypes[Engine] },
  error: unknown,
): unknown {
  // Remove an unusable page, and the pages requested after it, from the record.
  if (error instanceof UnusablePageError) recorder.rewind(error.page, collected.rows, error.cause.code);
  const typed = error instanceof UnusablePageError ? error.cause : error;
  const fetched = fetchedResult(recorder, engine, () => collected.frame());
  client.remember(fetched);
  if (typed instanceof ArchiveError && recorder.pages > 0) typed.partial = fetched;
  return typed;
}

/**
 * The recorder's state as a result.
 * @param frame called once, on first access
 * @param operation the method that combined several searches; default the recorder's operation
 */
export function fetchedResult(
  recorder: ProvenanceRecorder,
  engine: Engine,
  frame: () => FrameTypes[Engine],
  operation?: string,
): AnyFetchedResult {
  const { request, rows, pages, requests, cursor } = recorder;
  const query = operation === undefined ? new Map(request.query).get("query") : undefined;
  const fetched = { operation: operation ?? request.operation, query, engine, rows, pages, requests, cursor };
  return withFrame(fetched, () => {
    const result = frame();
    return provenanceOf(result) === undefined ? setProvenance(result, recorder.provenance()) : result;
  }) as AnyFetchedResult;
}

/** Converts the frame of a result to another engine. */
export function resultInEngine<E extends Engine>(fetched: AnyFetchedResult, engine: E): FetchedResult<E> {
  if (fetched.engine === engine) return fetched as FetchedResult<E>;
  const { operation, query, rows, pages, requests, cursor } = fetched;
  return withFrame({ operation, query, engine, rows, pages, requests, cursor }, () => {
    const { frame } = fetched;
    const converted = inEngine(isPolarsFrame(frame) ? frame : toDataFrame(frame), engine);
    return setProvenance(converted, provenanceOf(frame));
  });
}

function withFrame<E extends Engine>(
  fetched: Omit<FetchedResult<E>, "frame">,
  build: () => FrameTypes[E],
): FetchedResult<E> {
  let frame: FrameTypes[E] | undefined;
  return {
    ...fetched,
    get frame() {
      frame ??= build();
      return frame;
    },
  };
}
