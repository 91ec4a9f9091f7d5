import { invalid } from "../../errors/validators.js";
import { pl } from "../../frames/polars.js";
import { readDefinition } from "../definition/definitionFile.js";
import { readTable, rowsOfTables } from "./tableFiles.js";

/** Options of `corpus.export`. */
export interface ExportOptions {
  /** Title of the dataset. Default: says how many mentions and searches it has. */
  title?: string | undefined;
  /** Names of the authors, `"Doe, Jane"`. Default: "The compilers of this corpus", to be replaced before publication. */
  creators?: readonly string[] | undefined;
  /** Leave out all text: only ids, times and numbers, for archives whose terms forbid sharing text. Default false. */
  idsOnly?: boolean | undefined;
  /** Add `.zenodo.json`, the metadata that Zenodo reads. Default false. */
  zenodo?: boolean | undefined;
}

/** What the metadata files of an export say. */
export interface ExportMetadata {
  readonly title: string;
  readonly description: string;
  readonly creators: readonly string[];
  /** The service. */
  readonly source: string;
  /** The last day on which rows were fetched, yyyy-mm-dd: no clock, so that exports are reproducible. */
  readonly date: string;
  readonly isIdsOnly: boolean;
}

const LAST_DAY = pl.col("retrieved").cast(pl.String).max();

/** @throws ValidationError if there is no corpus, or nothing was built */
export function describeExport(dir: string, { title, creators, idsOnly = false }: ExportOptions): ExportMetadata {
  const definition = readDefinition(dir);
  const [date] = readTable(dir, "searches")?.select(LAST_DAY).row(0) ?? [];
  if (definition === undefined || typeof date !== "string")
    throw invalid("dir", dir, "Nothing was built there yet: await corpus.build() first.");
  const rows = rowsOfTables(dir).mentions;
  const counts = `${plural(rows, "mention")} from ${plural(definition.searches.length, "search", "searches")}`;
  const what = idsOnly
    ? "Ids, times and numbers only: the text of the mentions is left out."
    : "With the captions of what was said.";
  return {
    title: title ?? `${counts} of an archive of television programs`,
    description: `${counts} of an archive of television programs (${definition.source}), as Parquet tables with a codebook. ${what}`,
    creators: creators ?? ["The compilers of this corpus"],
    source: definition.source,
    date,
    isIdsOnly: idsOnly,
  };
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}
