import { inspect } from "node:util";
import type { ClientContext } from "../call/clientContext.js";
import { checkedOptions, invalid } from "../errors/validators.js";
import type { LazyFrame, PolarsFrame } from "../frames/polars.js";
import { toRecords } from "../frames/toRecords.js";
import { quoted } from "../util/quoted.js";
import { type CorpusInfo, corpusInfo } from "./corpusInfo.js";
import { corpusText, windowRows } from "./corpusText.js";
import { type Definition, writeDefinition } from "./definition/definition.js";
import { codebook } from "./publish/codebook.js";
import { type ExportOptions, exportCorpus } from "./publish/exportCorpus.js";
import { publishTables } from "./publish/publishTables.js";
import { changes, withLineage } from "./publish/reading.js";
import { corpusTable, publishedTable, singleTable, type TableName } from "./publish/tableFiles.js";
import { runCorpus } from "./run/corpusRun.js";
import { missingLookups } from "./run/lookUp.js";
import { type CorpusPlan, type PlanOptions, planCorpus } from "./run/planCorpus.js";
import {
  type CorpusSummary,
  checkRefresh,
  checkRunOptions,
  type RefreshOptions,
  type RunOptions,
} from "./run/runOptions.js";
import { withCorpus } from "./run/withCorpus.js";
import { followDefinition } from "./state/adopt.js";
import { type CorpusState, searchIds } from "./state/corpusState.js";
import { closeRound, pendingOf } from "./state/rounds.js";
import { type CorpusCheck, verifyCorpus } from "./verifyCorpus.js";

/**
 * Many searches of mentions as one dataset in a directory. Created by {@link openCorpus}.
 *
 * The tables are Parquet files below `tables/`, for every reader at any moment: each is replaced as a whole. polars and DuckDB open a file
 * twice and throw if it is replaced in between: read it again. To read one state for longer, copy the directory.
 *
 * @example
 * const corpus = await openCorpus("inflation/", { archive });
 * await corpus.build({ maxRequests: 500 });
 * const speeches = await corpus.mentions().collect();
 */
export class Corpus {
  readonly #client: ClientContext | undefined;

  /** @internal Use {@link openCorpus}. */
  constructor(
    /** The directory of the corpus. */
    readonly dir: string,
    client: ClientContext | undefined,
  ) {
    this.#client = client;
  }

  /**
   * Estimates what a build will take: rows, requests with an interval, lookups, and minutes. It counts some of the windows, with at most
   * 20 requests or 5 % of those of the build, whichever is more, and stops as soon as the interval is within 10 %. Windows that it has
   * fetched as a whole enter the build.
   *
   * @param options see {@link PlanOptions}
   * @throws ArchiveError if a request fails
   * @example
   * const { requests, low, high, minutes } = await corpus.plan({ quota: "1000/h" });
   */
  async plan(options?: PlanOptions): Promise<CorpusPlan> {
    return planCorpus(this.dir, this.#fetching("plan"), options);
  }

  /**
   * Fetches what is missing, and looks up its people and programs. Resumable at any point: a build that was stopped or killed
   * goes on without repeating a request, and the same call on a finished corpus sends none. A search that fails does not stop the others: the verdict is then "stopped", and `failed` says which one and why.
   *
   * @throws ArchiveError for what stops all searches: the key, the quota, the connection, an abort, the disk, or `TARGET_BUSY`
   * @example
   * const { verdict, requests, mentions } = await corpus.build({ maxRequests: 500 });
   */
  async build(options?: RunOptions): Promise<CorpusSummary> {
    const checked = checkRunOptions(options, "build");
    return runCorpus(this.dir, this.#fetching("build"), checked);
  }

  /**
   * Fetches what is new: windows that ended within `lag` before they were fetched, and those since. Rows that were added, changed,
   * vanished or came back are counted and dated; nothing is deleted. Resumable like a build.
   *
   * A mention has vanished if none of the windows that were asked again and could have it has found it. A window whose pages have missed
   * one is read again, until two readings agree: rows may have moved from page to page.
   *
   * @param options see {@link RefreshOptions}
   * @throws as `build`
   * @example
   * const { added, changed, vanished } = await corpus.refresh({ lag: "30d" });
   */
  async refresh(options?: RefreshOptions): Promise<CorpusSummary> {
    const checked = checkRunOptions(options, "refresh", ["lag", "lookupAge"]);
    return runCorpus(this.dir, this.#fetching("refresh"), checked, checkRefresh(options));
  }

  /**
   * Takes searches out of the corpus: their hits go, and mentions that no other search has found. Sends no request.
   *
   * @param ids ids of searches: the column `search` of {@link Corpus.searches}
   * @throws ValidationError for an id that the corpus does not have; ArchiveError `TARGET_BUSY` if a run is writing
   * @example
   * const wrong = corpus.searches().filter(pl.col("query").eq(pl.lit("inflaton")));
   * await corpus.remove(valuesOf(wrong, "search"));
   */
  remove(ids: string | readonly string[]): Promise<void> {
    const removed = [ids].flat();
    return withCorpus(this.dir, undefined, async (state, definition) => {
      const known = searchIds(definition);
      const unknown = removed.find((id) => !known.has(id));
      if (removed.length === 0 || unknown !== undefined) {
        // Those that were never built are not in the table.
        const last = definition.searches
          .slice(-5)
          .map(({ id, parameters }) => `${id} for ${quoted(parameters.query ?? "")}`);
        throw invalid(
          "search",
          unknown,
          `Give ids: the column search of corpus.searches(). The last ones are ${last.join(", ") || "none"}.`,
        );
      }
      const rest = { ...definition, searches: definition.searches.filter(({ id }) => !removed.includes(id)) };
      writeDefinition(this.dir, rest);
      await followDefinition(state, rest);
      // What is left of an open round may be nothing.
      if (pendingOf(state, rest).length === 0) await closeRound(state);
      await publishChanged(state, rest);
    });
  }

  /**
   * Every mention once, with the columns of the service, then `first_seen`, `changed`, `vanished` and `round`. Its
   * provenance has a source for each search.
   */
  mentions(): LazyFrame {
    return withLineage(corpusTable(this.dir, "mentions"), this.dir);
  }

  /** Which search found which mention: columns `search`, `span` (the window), `id`, `begintime`, `first_seen`, `vanished`, `round`. */
  hits(): LazyFrame {
    return withLineage(corpusTable(this.dir, "hits"), this.dir);
  }

  /** Every person that a mention refers to. `resolved` is false if the service does not know the id. */
  people(): LazyFrame {
    return corpusTable(this.dir, "people");
  }

  /** Every program that a mention refers to. `resolved` is false if the service does not know the id. */
  programs(): LazyFrame {
    return corpusTable(this.dir, "programs");
  }

  /**
   * Every search and window, in the order of the searches: labels, parameters, rows, and how and when it was fetched. It is a frame; `collect`
   * is there for code that treats all tables alike.
   */
  searches(): PolarsFrame & { collect(): Promise<PolarsFrame> } {
    const frame = singleTable(this.dir, "searches");
    return Object.assign(frame, { collect: async () => frame });
  }

  /**
   * Queries the tables `mentions`, `hits`, `people`, `programs` and `searches` with SQL. A query only reads, and only these tables.
   *
   * @param query one SELECT
   * @throws ValidationError for a query that fails, or reads anything but the tables
   * @example
   * await corpus.sql("select people.name, count(*) as n from mentions join people on personid = people.id group by all");
   */
  async sql(query: string): Promise<PolarsFrame> {
    const { sql } = await import("../tables/sql.js");
    const [mentions, hits] = [this.mentions(), this.hits()];
    const [people, programs, searches] = [this.people(), this.programs(), this.searches().lazy()];
    return sql(query, { mentions, hits, people, programs, searches });
  }

  /**
   * The mentions that were added, changed or vanished on or after a day: columns `change` and `day`, then those of the mentions. A
   * mention with several changes has several rows.
   *
   * Or, for a loader, those that later rounds have changed, one row each, as they are now. Rounds that are not complete are left out, so each
   * change is loaded once if the next call gives the largest `round` of this one.
   *
   * @param options `since`: a day in UTC, yyyy-mm-dd, or the number of a round
   * @throws ValidationError without a day or a round
   * @example
   * corpus.changes({ since: "2026-11-01" }).groupBy("change").len();
   * corpus.changes({ since: 3 });
   */
  changes(options: { readonly since: string | number }): PolarsFrame {
    const { since } = checkedOptions(options, ["since"], "option of changes");
    return changes(this.dir, since);
  }

  /**
   * What every column of the tables means: one row per column with `table`, `column`, `meaning`, `unit`, `dtype`, `rows`, `nulls` (the
   * share of rows without a value) and `examples`. Also in `README.md` of the corpus.
   *
   * @example
   * corpus.codebook().filter(pl.col("table").eq(pl.lit("mentions")));
   */
  codebook(): PolarsFrame {
    return codebook(this.dir);
  }

  /** What the corpus consists of, and its progress. Sends no request. */
  async info(): Promise<CorpusInfo> {
    return corpusInfo(this.dir);
  }

  /** The corpus in words, as a notebook shows it: its tables, what is missing, what its runs took, and how far each search is. */
  toString(): string {
    const rowsOf = (name: TableName) => windowRows(toRecords(publishedTable(this.dir, name)));
    return corpusText(corpusInfo(this.dir), rowsOf("runs"), rowsOf("searches"));
  }

  [inspect.custom](): string {
    return this.toString();
  }

  /**
   * Checks every file against its checksum in `datapackage.json`, and the tables against each other: each mention once, each hit with its
   * mention, each row in the file of its month. No run may publish tables meanwhile.
   *
   * @returns the problems in words; it throws none of them
   * @example
   * (await corpus.verify()).ok; //=> true
   */
  verify(): Promise<CorpusCheck> {
    return verifyCorpus(this.dir);
  }

  /**
   * Copies the corpus for others, to a directory or a zip file: the tables, the codebook (`README.md`, `datapackage.json`) and
   * `CITATION.cff`. Two exports of the same tables are the same bytes. Check that the terms of the archive allow you to share them.
   *
   * @param dest a path that does not exist; a zip file if it ends in `.zip`, otherwise a directory
   * @param options see {@link ExportOptions}
   * @returns `dest`
   * @throws ValidationError if nothing was built; ArchiveError if `dest` exists or cannot be written
   * @example
   * await corpus.export("inflation.zip", { creators: ["Doe, Jane"] }); //=> "inflation.zip"
   */
  export(dest: string, options?: ExportOptions): Promise<string> {
    return exportCorpus(this.dir, dest, options);
  }

  #fetching(verb: string): ClientContext {
    if (this.#client !== undefined) return this.#client;
    throw invalid("archive", undefined, `To ${verb} a corpus, open it with a client: openCorpus(dir, { archive }).`);
  }
}

async function publishChanged(state: CorpusState, definition: Definition): Promise<void> {
  await publishTables(state, definition, pendingOf(state, definition), await missingLookups(state, definition));
}
