import { inspect } from "node:util";
import type { ClientContext } from "../call/clientContext.js";
import { checkedOptions, invalid, nonNegativeInteger } from "../errors/validators.js";
import { type LazyFrame, type PolarsFrame, pl } from "../frames/polars.js";
import { sql } from "../tables/sql.js";
import { type CorpusInfo, corpusInfo, corpusText, withCorpusProvenance } from "./corpusInfo.js";
import { TABLE_NAMES } from "./database/tables.js";
import { type Definition, withoutSearches } from "./definition/definition.js";
import { type ExportOptions, exportCorpus } from "./publish/exportCorpus.js";
import { codebook } from "./publish/packageFiles.js";
import { readTableFiles, singleTable } from "./publish/tableFiles.js";
import { type CorpusPlan, type PlanOptions, planCorpus } from "./run/planCorpus.js";
import { runCorpus } from "./run/runCorpus.js";
import {
  type CorpusSummary,
  checkLag,
  checkRunOptions,
  type RefreshOptions,
  type RunOptions,
} from "./run/runOptions.js";
import { type CorpusCheck, verifyCorpus } from "./verifyCorpus.js";
import { changeDefinition } from "./withCorpus.js";

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
   * Estimates what a build will take: rows, requests with an interval, and minutes. It fetches 20 of the missing windows, chosen at
   * random: they are in the corpus then. Lookups are not included.
   *
   * @example
   * const { requests, low, high, minutes } = await corpus.plan({ quota: "1000/h" });
   */
  async plan(options?: PlanOptions): Promise<CorpusPlan> {
    return planCorpus(this.dir, this.#clientFor("plan"), options);
  }

  /**
   * Fetches the windows that are missing, and what `lookups` asks for. Call it again after a stop: it resumes, and sends nothing if the
   * corpus is complete. A window is read to its end or again. A search that fails does not stop the others, and is in `failed`.
   *
   * @throws ArchiveError for what stops all searches: the key, the quota, the connection, an abort, the disk, or `TARGET_BUSY`
   * @example
   * const { verdict, requests, mentions } = await corpus.build({ maxRequests: 500 });
   */
  async build(options?: RunOptions): Promise<CorpusSummary> {
    const checked = checkRunOptions(options, "build");
    return runCorpus(this.dir, this.#clientFor("build"), checked);
  }

  /**
   * Fetches what is new: windows that ended within `lag` before they were fetched, and those since; without windows, everything. What was
   * added, changed, vanished or came back is counted and dated; nothing is deleted. A mention has vanished if its window no longer
   * returns it, even when read twice, and no other window does. Resumes like a build.
   *
   * @example
   * const { added, changed, vanished } = await corpus.refresh({ lag: "30d" });
   */
  async refresh(options?: RefreshOptions): Promise<CorpusSummary> {
    const checked = checkRunOptions(options, "refresh", ["lag"]);
    return runCorpus(this.dir, this.#clientFor("refresh"), checked, checkLag(options?.lag));
  }

  /**
   * Takes searches out of the corpus. The next run removes their hits, and mentions that no other search has found.
   *
   * @param ids ids of searches, as in {@link Corpus.searches}
   * @throws ValidationError for an id that the corpus does not have; ArchiveError `TARGET_BUSY` if a run is writing
   * @example
   * const wrong = corpus.searches().filter(pl.col("query").eq(pl.lit("inflaton")));
   * await corpus.remove(valuesOf(wrong, "search"));
   */
  remove(ids: string | readonly string[]): Promise<void> {
    return changeDefinition(this.dir, (definition) => withoutSearches(definition as Definition, [ids].flat()));
  }

  /**
   * Every mention once: the columns of the service, `more` (other members, as JSON), `first_seen`, `changed`, `vanished` and `run`. The
   * provenance has a source for each search.
   */
  mentions(): LazyFrame {
    return withCorpusProvenance(readTableFiles(this.dir, "mentions"), this.dir);
  }

  /** Which search found which mention: columns `search`, `id`, `span` (the window), `first_seen`, `vanished`, `run`. */
  hits(): LazyFrame {
    return withCorpusProvenance(readTableFiles(this.dir, "hits"), this.dir);
  }

  /** Every person that was looked up. `resolved` is false if the service does not know the id. */
  people(): LazyFrame {
    return readTableFiles(this.dir, "people");
  }

  /** Every program that was looked up. `resolved` is false if the service does not know the id. */
  programs(): LazyFrame {
    return readTableFiles(this.dir, "programs");
  }

  /** Every search, in the order in which they were given: labels, parameters, rows, and how far it is. */
  searches(): PolarsFrame {
    return singleTable(this.dir, "searches");
  }

  /** Every window of every search: its days, rows, and how and when it was fetched. */
  windows(): PolarsFrame {
    return singleTable(this.dir, "windows");
  }

  /**
   * Queries the tables `mentions`, `hits`, `people`, `programs`, `searches`, `windows` and `runs` with SQL, and nothing else.
   *
   * @param query one SELECT
   * @throws ValidationError for a query that fails, or reads anything but the tables
   * @example
   * await corpus.sql("select query, count(*) as n from hits join searches using (search) group by all");
   */
  async sql(query: string): Promise<PolarsFrame> {
    const tables = TABLE_NAMES.map((name) => [name, readTableFiles(this.dir, name)]);
    return sql(query, { ...Object.fromEntries(tables), mentions: this.mentions(), hits: this.hits() });
  }

  /**
   * The mentions that later runs have changed, as they are now: for a loader, which gives the largest `run` of one call to the next one.
   * By day, filter `first_seen`, `changed` or `vanished` of {@link Corpus.mentions}.
   *
   * @param options `since`: the number of a run, 0 for all mentions
   * @throws ValidationError without a run
   * @example
   * corpus.changes({ since: 3 });
   */
  changes(options: { readonly since: number }): PolarsFrame {
    const since = nonNegativeInteger("since", checkedOptions(options, ["since"], "option of changes").since, 3);
    const mentions = this.mentions().filter(pl.col("run").gt(pl.lit(since)));
    return mentions.sort(["run", "begintime", "id"]).collectSync() as PolarsFrame;
  }

  /**
   * What every column means: one row per column with `table`, `column`, `meaning`, `unit` and `dtype`.
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

  /** The corpus in words, as a notebook shows it: its tables, what is missing, and what failed. */
  toString(): string {
    return corpusText(this.dir);
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
   * Copies the corpus for others, to a zip file with the tables, the codebook and `CITATION.cff`, which `openCorpus` reads once it is
   * unpacked. Two exports of the same tables are the same bytes. Check that the terms of the archive allow you to share it.
   *
   * @param dest the path of a zip file that does not exist
   * @returns the path of the zip file
   * @throws ValidationError if nothing was built; ArchiveError if `dest` exists or cannot be written
   * @example
   * await corpus.export("inflation.zip", { creators: ["Doe, Jane"] }); //=> "inflation.zip"
   */
  export(dest: string, options?: ExportOptions): Promise<string> {
    return exportCorpus(this.dir, dest, options);
  }

  #clientFor(verb: string): ClientContext {
    if (this.#client !== undefined) return this.#client;
    throw invalid("archive", undefined, `To ${verb} a corpus, open it with a client: openCorpus(dir, { archive }).`);
  }
}
