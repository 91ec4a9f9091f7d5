import { inspect } from "node:util";
import type {
  Count,
  CountByOptions,
  CountOptions,
  CountParameters,
  Format,
  LookupName,
  LookupOptions,
  Result,
  ResultOptions,
  SampleArguments,
  SearchCallOptions,
  SearchOptions,
} from "./call/callOptions.js";
import {
  type ArchiveClientOptions,
  type ClientContext,
  clientSettings,
  type DecidedOutput,
  setContext,
} from "./call/clientContext.js";
import { count } from "./call/count.js";
import { checkCall, execute, iterRecords } from "./call/execution.js";
import { RowLookups } from "./call/rowLookups.js";
import type { AnyFetchedResult, FetchedResult } from "./errors/index.js";
import type { Engine, FrameTypes } from "./frames/engine.js";
import { type OpenSnapshot, openSnapshot } from "./responses/snapshots.js";
import { type SaveOptions, saveOperation } from "./scan/saveOperation.js";
import { type Scans, scansOf } from "./scan/scans.js";
import type { ResolvedOptions } from "./service/http/options.js";
import type { ClosableRequester } from "./service/http/requester.js";
import { Transport } from "./service/http/transport.js";
import {
  type Arguments,
  type CanonicalName,
  type OperationName,
  type OperationSpelling,
  operationNamed,
  type ParametersOf,
  type RowOf,
  SEARCHES,
  type SearchName,
} from "./service/operations/operations.js";
import type { Service } from "./service/paging/provenanceRecorder.js";
import { explainSpeeches } from "./speeches/speechesOnBill.js";
import type {
  BillAndOptions,
  BillQuery,
  BillRowLike,
  OneBillArguments,
  SpeechesArguments,
  SpeechesOptions,
} from "./speeches/speechesOptions.js";
import type { SpeechesResult } from "./speeches/speechRows.js";
import type { OrDefault, PolarsFrame } from "./util/frameTypes.js";

type MaybeFormat = Format | undefined;
type MaybeEngine = Engine | undefined;
type MaybeMaximum = number | undefined;

/** Parameters of a search except the query, and options of the call. */
export type SearchArguments<N extends SearchName> = Omit<ParametersOf<N>, "query"> & SearchOptions;

/** Parameters and options of {@link ArchiveClient.iterRecords}. */
export type IterOptions<N extends SearchName> = ParametersOf<N> &
  Pick<SearchOptions, "maxItems" | "signal" | "unchecked">;

/** Settings of a client that this package creates. */
export interface ClientInternals {
  /** The name of the service in provenance. Default: its URL. */
  readonly source?: string;
  /** Creates the transport for requests. Default: HTTP connections of this process. */
  readonly transportOf?: (settings: ResolvedOptions) => ClosableRequester;
  readonly onClose?: () => Promise<void>;
}

const internals = new WeakMap<object, ClientInternals>();

/** Creates a client with internals, which are not options of its public constructor. */
export function createClient<F extends Format = "dataframe", E extends Engine = "polars">(
  options: ArchiveClientOptions<F, E> & DecidedOutput<F, E>,
  clientInternals: ClientInternals,
): ArchiveClient<F, E> {
  const clientOptions = { ...options };
  internals.set(clientOptions, clientInternals);
  return new ArchiveClient<F, E>(clientOptions);
}

/**
 * A client of the Archive Search Service that returns dataframes.
 *
 * Every method checks its arguments before any request, retries temporary failures (429, 5xx, lost connections), and rejects with an
 * `ArchiveError`.
 *
 * @example
 * const archive = new ArchiveClient(); // key from ARCHIVE_API_KEY
 * const bills = await archive.bills("infrastructure");
 * bills.columns; //=> ["id", "congress", "billnumber", "billtitle", "link"]
 * await archive.close();
 */
export class ArchiveClient<DF extends Format = "dataframe", DE extends Engine = "polars"> {
  readonly #context: ClientContext;
  /** Undefined for a replay, which sends no requests. */
  readonly #transport: ClosableRequester | undefined;
  readonly #storage: OpenSnapshot | undefined;
  readonly #lookups = { person: new RowLookups("person"), program: new RowLookups("program") };
  readonly #onClose: ClientInternals["onClose"];
  #lastResult: AnyFetchedResult | undefined;

  /**
   * @param options see {@link ArchiveClientOptions}; without `apiKey` the key is read from `ARCHIVE_API_KEY` or `CSPAN_API_KEY`
   * @throws AuthenticationError without a key; ValidationError for an invalid option
   */
  constructor(options?: ArchiveClientOptions<DF, DE> & DecidedOutput<DF, DE>) {
    const settings = clientSettings(options);
    const { storage, baseUrl } = settings;
    const { source = baseUrl, transportOf, onClose } = internals.get(options ?? settings) ?? {};
    this.#onClose = onClose;
    this.#transport = settings.replays ? undefined : (transportOf?.(settings) ?? new Transport(settings));
    const service = this.#transport && { requester: this.#transport, baseUrl, source, snapshot: null };
    const redact = (text: string) => settings.key.redact(text);
    this.#storage = storage && openSnapshot(storage, service, redact);
    this.#context = {
      ...((this.#storage ?? service) as Service & Pick<ClientContext, "requester" | "recorded">),
      output: settings,
      concurrency: settings.concurrency,
      redact,
      remember: (result) => {
        this.#lastResult = result;
      },
    };
    setContext(this, this.#context);
  }

  /** The URL of the service; for a replay, of the service that was recorded. */
  get baseUrl(): string {
    return this.#context.baseUrl;
  }

  /**
   * Searches bills.
   *
   * @param query word or phrase to search for; `'"in double quotes"'` is an exact phrase
   * @returns columns `id`, `congress`, `billnumber`, `billtitle`, `link`, and any others that the service sends
   * @example
   * const frame = await archive.bills("budget", { maxItems: 500 });
   */
  bills<F extends MaybeFormat = undefined, E extends MaybeEngine = undefined, M extends MaybeMaximum = undefined>(
    query: string,
    options?: SearchCallOptions<"bills", F, E, M>,
  ): Promise<Result<"bills", OrDefault<F, DF>, OrDefault<E, DE>, M>> {
    return this.#execute("bills", query, options);
  }

  /**
   * Searches spoken words. Returns one row per mention.
   *
   * @param query word or phrase to search for; `'"in double quotes"'` is an exact phrase
   * @example
   * const frame = await archive.mentions('"climate change"', { mindate: "2024-01-01", videotype: "Speech", limit: 50 });
   */
  mentions<F extends MaybeFormat = undefined, E extends MaybeEngine = undefined, M extends MaybeMaximum = undefined>(
    query: string,
    options?: SearchCallOptions<"mentions", F, E, M>,
  ): Promise<Result<"mentions", OrDefault<F, DF>, OrDefault<E, DE>, M>> {
    return this.#execute("mentions", query, options);
  }

  /**
   * Searches people by name or title.
   *
   * @example
   * const frame = await archive.people({ last: "Pelosi" }); // or people("Pelosi")
   */
  people<F extends MaybeFormat = undefined, E extends MaybeEngine = undefined, M extends MaybeMaximum = undefined>(
    query?: string | SearchCallOptions<"people", F, E, M>,
    options?: SearchCallOptions<"people", F, E, M>,
  ): Promise<Result<"people", OrDefault<F, DF>, OrDefault<E, DE>, M>>;
  people(query?: string | object, options?: object): Promise<never> {
    const isOptions = typeof query === "object" && query !== null && options === undefined;
    return isOptions ? this.#execute("people", undefined, query) : this.#execute("people", query, options);
  }

  /**
   * Fetches one person. For an unknown id, the frame has no rows.
   *
   * @param id internal or public id of the person
   * @example
   * const frame = await archive.person(6153);
   */
  person<F extends MaybeFormat = undefined, E extends MaybeEngine = undefined>(
    id: number | string,
    options?: ResultOptions<F, E>,
  ): Promise<Result<"person", OrDefault<F, DF>, OrDefault<E, DE>>> {
    return this.#execute("person", id, options);
  }

  /**
   * Searches programs with a Lucene query.
   *
   * @param query fields: abstract, category, date, format, isbn, location, person, personid, series, sponsor, subject, tag, text
   * @throws ValidationError for a date range, which the service does not support: sort by date and filter the frame instead
   * @example
   * const frame = await archive.programsSearch("text:climate AND category:Senate", { sort: "date desc" });
   */
  programsSearch<
    F extends MaybeFormat = undefined,
    E extends MaybeEngine = undefined,
    M extends MaybeMaximum = undefined,
  >(
    query: string,
    options?: SearchCallOptions<"programsSearch", F, E, M>,
  ): Promise<Result<"programsSearch", OrDefault<F, DF>, OrDefault<E, DE>, M>> {
    return this.#execute("programsSearch", query, options);
  }

  /**
   * Fetches one program.
   *
   * @param id numeric id of the program: the `id` of a program, or the `programid` of a mention
   * @throws ValidationError for a public id ("556839-1"), which the service rejects; NotFoundError for an unknown id
   * @example
   * const frame = await archive.program(683870);
   */
  program<F extends MaybeFormat = undefined, E extends MaybeEngine = undefined>(
    id: number | string,
    options?: ResultOptions<F, E>,
  ): Promise<Result<"program", OrDefault<F, DF>, OrDefault<E, DE>>> {
    return this.#execute("program", id, options);
  }

  /**
   * Yields the rows of a search one by one, across pages, as sent by the service, without duplicates.
   *
   * @param operation "bills", "mentions", "people", "programsSearch" (or "programs_search")
   * @param options parameters of the search; `maxItems` limits the rows (default all, 0 sends no request)
   * @throws ValidationError when called, before any request
   * @example
   * for await (const row of archive.iterRecords("mentions", { query: "ai", maxItems: 200 })) console.log(row.person);
   */
  iterRecords<N extends OperationSpelling<SearchName>>(
    operation: N,
    ...options: Arguments<CanonicalName<N>, IterOptions<CanonicalName<N>>>
  ): AsyncGenerator<RowOf<CanonicalName<N>>, void, undefined>;
  iterRecords(operation: unknown, options?: object): AsyncGenerator<never, void, undefined> {
    const name = operationNamed(operation, SEARCHES);
    const call = checkCall(name, undefined, options, this.#context.output, ["maxItems", "signal", "unchecked"]);
    return iterRecords(this.#context, call) as AsyncGenerator<never, void, undefined>;
  }

  /**
   * Counts the rows of a search by page numbers: 20,000 mentions take about 15 requests. The verdict says whether the count is exact. With
   * `by`, returns a frame with one row per period, empty periods included.
   *
   * @param operation "mentions"; or "bills", "people", "programsSearch", which have no page numbers: fetches all pages, up to 50
   * @param query word or phrase to search for, as in the search
   * @param options parameters of the search, and {@link CountOptions}
   * @returns a {@link Count}, or a frame in the engine of the client
   * @example
   * const { rows, verdict } = await archive.count("mentions", "climate", { mindate: "2024-01-01" });
   * const months = await archive.count("mentions", "climate", { mindate: "2024-01-01", maxdate: "2024-12-31", by: "month" });
   * months.columns; //=> ["month", "rows", "verdict", "reason", "requests"]
   */
  count<E extends MaybeEngine = undefined>(
    operation: "mentions",
    query: string,
    options: CountByOptions<E>,
  ): Promise<FrameTypes[OrDefault<E, DE>]>;
  count<N extends SearchName>(
    operation: N,
    query?: string,
    options?: CountParameters<N> & CountOptions & { by?: undefined },
  ): Promise<Count>;
  count(operation: unknown, query?: string, options?: object): Promise<never> {
    return count(this.#context, operation, query, options as Record<string, unknown>) as Promise<never>;
  }

  /**
   * Draws random rows of a search, each equally likely, in the order of the search: counts it, then fetches some of its pages by number.
   * `provenanceOf(frame)?.sample` says how many rows there are.
   *
   * @param operation "mentions", the only search with page numbers
   * @param query word or phrase to search for
   * @param options parameters of the search, and {@link SampleOptions}
   * @returns a frame with the columns of the search, in the engine of the client
   * @throws ValidationError before any request; ArchiveError `CANNOT_SAMPLE` if some rows cannot be reached by page number, or rows move
   * @example
   * const frame = await archive.sample("mentions", "climate", { rows: 200, seed: 1, mindate: "2024-01-01" });
   * provenanceOf(frame)?.sample?.rows; //=> 200
   */
  sample<E extends MaybeEngine = undefined>(
    operation: "mentions",
    query: string,
    options: SampleArguments<E>,
  ): Promise<FrameTypes[OrDefault<E, DE>]>;
  async sample(operation: unknown, query: string, options: object): Promise<never> {
    const { sample } = await import("./call/sample.js");
    return sample(this.#context, operation, query, options as Record<string, unknown>) as Promise<never>;
  }

  /**
   * Adds the people for a column of ids: `person_name`, `person_title` and so on. The rows stay as they are; those without a person get
   * nulls, and `provenanceOf(result)?.lookups` lists unknown ids. Each id costs one request per client.
   *
   * @param frame a polars frame with a column `personid`, of mentions, speeches or your own; see `on`
   * @param options see {@link LookupOptions}
   * @throws ValidationError before any request; ArchiveError with `partial` if a lookup fails
   * @example
   * const frame = await archive.mentions("climate", { maxItems: 500 });
   * const spoken = await archive.withPeople(frame, { columns: ["name", "title"] });
   * spoken.columns.slice(-2); //=> ["person_name", "person_title"]
   */
  withPeople(frame: PolarsFrame, options?: LookupOptions): Promise<PolarsFrame> {
    return this.#join("person", frame, options);
  }

  /**
   * Adds the programs for a column of ids: `program_title`, `program_date` and so on, like {@link withPeople}.
   *
   * @param frame a polars frame with a column `programid`; see `on`
   * @param options see {@link LookupOptions}
   * @throws ValidationError before any request; ArchiveError with `partial` if a lookup fails
   */
  withPrograms(frame: PolarsFrame, options?: LookupOptions): Promise<PolarsFrame> {
    return this.#join("program", frame, options);
  }

  /**
   * The searches as lazy queries; see {@link ArchiveScan}.
   *
   * @example
   * const spoken = archive.scan.mentions("climate", { mindate: "2024-01-01" });
   * const frame = await spoken.filter(pl.col("personid").eq(6153)).head(40).collect();
   */
  get scan(): Scans<DE> {
    return scansOf(this.#context);
  }

  /**
   * Writes the result of an operation to a file, as rows arrive. `format` or the extension decides, as for {@link saveFrame}. The file is
   * complete or absent; after a stop, the same call resumes.
   *
   * @param operation one of the six operations
   * @param dest a file, or a directory: a path that ends in `/`, exists as a directory, or has no extension (`"out"`). In a directory the
   * file is named `<operation>.<format>`, or `filename`
   * @param options parameters of the operation, and {@link SaveOptions}
   * @returns the path of the file
   * @throws ValidationError before any request; ArchiveError if the file cannot be written; the message says which rows are saved
   * @example
   * await archive.save("bills", "out/", { query: "budget", format: "xlsx" }); //=> "out/bills.xlsx"
   */
  save<N extends OperationSpelling>(
    operation: N,
    dest: string,
    ...options: Arguments<CanonicalName<N>, ParametersOf<CanonicalName<N>> & SaveOptions>
  ): Promise<string>;
  save(operation: unknown, dest: string, options?: SaveOptions): Promise<string> {
    return saveOperation(this.#context, operation, dest, options ?? {});
  }

  /**
   * Finds the speeches on a bill: one row per speech ({@link SpeechRow}), speakers with the most speeches first. The service does not link
   * speeches to bills, so this searches the title and number as they are spoken, and judges every text found. It returns senators, by the
   * title that they have today, unless `chamber` says otherwise. `provenanceOf(frame)?.speeches` reports every query, speaker and omitted
   * speech.
   *
   * @param bill title, number and Congress (see {@link BillQuery}) with the options, a row of `bills(…)`, or a list or frame of bills,
   * which returns one frame. A number without a prefix, as in rows, is searched in both chambers until the texts decide
   * @param options see {@link SpeechesOptions}; for a row or a list
   * @throws ValidationError before any request; ArchiveError with `partial` if a request fails, including lookups of speakers
   * @example
   * const frame = await archive.speechesOnBill({ title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 });
   * frame.columns.slice(3, 6); //=> ["personid", "name", "title"]
   */
  speechesOnBill<F extends MaybeFormat = undefined, E extends MaybeEngine = undefined>(
    bills: ReadonlyArray<BillRowLike | BillQuery> | PolarsFrame,
    options?: SpeechesArguments<F, E>,
  ): Promise<SpeechesResult<OrDefault<F, DF>, OrDefault<E, DE>, true>>;
  speechesOnBill<F extends MaybeFormat = undefined, E extends MaybeEngine = undefined>(
    bill: OneBillArguments<F, E>,
  ): Promise<SpeechesResult<OrDefault<F, DF>, OrDefault<E, DE>>>;
  speechesOnBill<F extends MaybeFormat = undefined, E extends MaybeEngine = undefined>(
    bill: BillAndOptions,
    options?: SpeechesArguments<F, E>,
  ): Promise<SpeechesResult<OrDefault<F, DF>, OrDefault<E, DE>>>;
  async speechesOnBill(bill: object, options?: object): Promise<never> {
    const { speechesOnBill } = await import("./speeches/speechesOnBill.js");
    return speechesOnBill(this.#context, this.#lookups.person, bill, options) as Promise<never>;
  }

  /**
   * Lists the queries of {@link speechesOnBill}, one per line: those that are sent first, and those that are sent if they find something.
   * Sends no request.
   *
   * @throws ValidationError like `speechesOnBill`
   * @example
   * archive.explainSpeechesOnBill({ title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 });
   * //=> "\"Inflation Reduction\"\n\"5376\"\n…\nIf these find something:\n\"5,376\"\n…"
   */
  explainSpeechesOnBill(
    bill: ReadonlyArray<BillRowLike | BillQuery> | PolarsFrame | BillAndOptions,
    options?: SpeechesOptions,
  ): string {
    return explainSpeeches(this.#context, bill, options);
  }

  /**
   * Returns the rows fetched by the last search or lookup of this client, even if it failed or was stopped. For an iteration the frame is
   * empty, and the counts are those so far.
   *
   * @returns undefined before the first call
   */
  lastResult(): FetchedResult<DE> | undefined {
    return this.#lastResult as FetchedResult<DE> | undefined;
  }

  /** Aborts running calls and closes the connections, but not your `session`. */
  async close(): Promise<void> {
    await this.#transport?.close();
    this.#storage?.close();
    await this.#onClose?.();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** What consoles print: the URL of the service, never the key. */
  [inspect.custom](): string {
    const { baseUrl, output } = this.#context;
    return `ArchiveClient { baseUrl: '${baseUrl}', outputFormat: '${output.outputFormat}', engine: '${output.engine}' }`;
  }

  async #join(operation: LookupName, frame: PolarsFrame, options: LookupOptions | undefined): Promise<PolarsFrame> {
    const { joinLookups } = await import("./call/joinLookups.js");
    return joinLookups(this.#context, this.#lookups[operation], frame, options);
  }

  async #execute<R>(operation: OperationName, argument: unknown, options: object | undefined): Promise<R> {
    return (await execute(this.#context, checkCall(operation, argument, options, this.#context.output))) as R;
  }
}
