import { invalid } from "../errors/validators.js";
import { withColumns } from "../frames/engine.js";
import { derived } from "../frames/lineage/derived.js";
import { stepOf } from "../frames/lineage/step.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { textsOf } from "../text/source/columns.js";
import { missingColumns } from "../text/source/textSource.js";
import type { Codebook, Variable } from "./codebook.js";
import { rowKeys } from "./passages.js";

declare module "../service/paging/provenanceRecorder.js" {
  interface Provenance {
    /** Only for codes: the codebook that they follow. */
    codebook?: Codebook;
  }
}

/** What one coder decided about one passage. */
export interface Code {
  readonly row: string;
  readonly coder: string;
  readonly values: Readonly<Record<string, string | number | null>>;
  /** Further columns: when it was coded, why, by which model. */
  readonly about: Readonly<Record<string, string | null>>;
}

/** @throws ValidationError if a variable has the name of a column of the passages */
export function checkColumns(frame: PolarsFrame, book: Codebook, others: readonly string[]): void {
  const taken = [...book.variables.map(({ name }) => name), ...others].find((name) => frame.columns.includes(name));
  if (taken === undefined) return;
  const hint = "The passages have a column of that name. Rename the variable, or drop the column.";
  throw invalid("variable", taken, hint);
}

/**
 * Codes as a frame: `row`, `coder`, the variables, the columns `about` each code, then the columns of the passages. Rows are in the order of the
 * passages, those of one passage in the order of the codes.
 */
export function codesFrame(
  frame: PolarsFrame,
  book: Codebook,
  codes: readonly Code[],
  about: readonly string[],
  verb: string,
): PolarsFrame {
  const place = new Map(rowKeys(frame).map((row, at) => [row, at]));
  const sorted = codes
    .map((code, order) => ({ code, order, at: place.get(code.row) as number }))
    .sort((a, b) => a.at - b.at || a.order - b.order);
  const own = pl.DataFrame([
    pl.Series(
      "row",
      sorted.map(({ code }) => code.row),
      pl.Utf8,
    ),
    pl.Series(
      "coder",
      sorted.map(({ code }) => code.coder),
      pl.Utf8,
    ),
    ...book.variables.map(({ name, kind }) =>
      pl.Series(
        name,
        sorted.map(({ code }) => code.values[name] ?? null),
        (kind === "number" ? pl.Float64 : pl.Utf8) as never,
      ),
    ),
    ...about.map((name) =>
      pl.Series(
        name,
        sorted.map(({ code }) => code.about[name] ?? null),
        pl.Utf8,
      ),
    ),
  ]);
  // A frame without columns of its own cannot be indexed.
  const rows = frame.select(...frame.columns.map((name) => pl.col(name).gather(sorted.map(({ at }) => at))));
  const joined = withColumns(own, rows);
  const provenance = provenanceOf(frame);
  const step = stepOf(verb, "joined", [book.variables.map(({ name }) => name)]);
  return setProvenance(joined, provenance && { ...derived(provenance, step), codebook: book });
}

/**
 * The codebook of codes, from their provenance.
 *
 * @throws ValidationError if it is unknown
 */
export function codebookOf(codes: PolarsFrame, given: Codebook | undefined): Codebook {
  const book = given ?? provenanceOf(codes)?.codebook;
  if (book === undefined)
    throw invalid("codes", "a frame without a codebook", "Give codes of readCodes or codeWith, or the option book.");
  const missing = ["row", "coder"].filter((name) => !codes.columns.includes(name));
  if (missing.length > 0) throw missingColumns("codes", missing);
  return book;
}

/** The variable of a codebook. @throws ValidationError that lists the variables */
export function variableOf({ variables }: Codebook, name: unknown): Variable {
  const found = variables.find((variable) => variable.name === name);
  if (found !== undefined) return found;
  throw invalid("variable", name, `Give one of ${variables.map((variable) => variable.name).join(", ")}.`);
}

/** The codes of one variable by passage and coder, in the order of the frame. Passages without any are left out. */
export function codesBy(
  codes: PolarsFrame,
  { name, kind }: Variable,
): ReadonlyMap<string, ReadonlyMap<string, string | number>> {
  const [rows, coders, values] = [textsOf(codes, "row"), textsOf(codes, "coder"), textsOf(codes, name)];
  const found = new Map<string, Map<string, string | number>>();
  rows.forEach((row, at) => {
    const [coder, value] = [coders[at], values[at]];
    if (row === null || coder == null || value == null) return;
    const known = found.get(row) ?? new Map<string, string | number>();
    found.set(row, known);
    if (known.has(coder))
      throw invalid("codes", `two rows of ${row} by ${coder}`, "Give every passage once for each coder.");
    known.set(coder, kind === "number" ? Number(value) : value);
  });
  return found;
}
