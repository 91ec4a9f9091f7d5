import { faulty, invalid } from "../errors/validators.js";
import { checkPolarsFrame, withColumns } from "../frames/engine.js";
import { columnCells } from "../frames/frameColumns.js";
import type { StepEffect } from "../frames/lineage/step.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { textsOf } from "../text/source/columns.js";
import { likeSource, missingColumns } from "../text/source/textSource.js";
import { formatCount } from "../util/counts.js";
import { type Codebook, checkCode, type Variable } from "./codebook.js";
import { rowsAt } from "./passages.js";

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

/** What `readCodes` adds to passages besides the variables. */
export const READ_COLUMNS = ["row", "coder", "coded_at"] as const;

/** @throws ValidationError if a variable has the name of a column of the passages */
export function refuseTakenNames(frame: PolarsFrame, book: Codebook, others: readonly string[]): void {
  const taken = [...book.variables.map(({ name }) => name), ...others].find((name) => frame.columns.includes(name));
  if (taken === undefined) return;
  const hint = "The passages have a column of that name. Rename the variable, or drop the column.";
  throw invalid("variable", taken, hint);
}

/**
 * Codes as a frame: `row`, `coder`, the variables, the columns `about` each code, then the columns of the passages. Rows are in the order of the
 * passages, those of one passage in the order of the codes.
 *
 * @param rows the keys of the passages
 */
export function codesFrame(
  passages: PolarsFrame,
  rows: readonly string[],
  book: Codebook,
  codes: readonly Code[],
  about: readonly string[],
  [verb, effect, facts]: readonly [verb: string, effect: StepEffect, facts: Readonly<Record<string, unknown>>],
): PolarsFrame {
  const place = new Map(rows.map((row, at) => [row, at]));
  const placeOf = ({ row }: Code) => place.get(row) as number;
  const sorted = codes.toSorted((a, b) => placeOf(a) - placeOf(b));
  const lines = sorted.map(
    ({ row, coder, values, about: more }): Record<string, unknown> => ({ ...more, ...values, row, coder }),
  );
  const own = resultFrame([
    ...columnsOf(lines, pl.Utf8, "row", "coder"),
    ...book.variables.flatMap((each) => columnsOf(lines, each.kind === "number" ? pl.Float64 : pl.Utf8, each.name)),
    ...columnsOf(lines, pl.Utf8, ...about),
  ]);
  const coded = new Set(codes.map(({ row }) => row)).size;
  const variables = book.variables.map(({ name }) => name);
  const step = [verb, effect, { ...facts, variables, coded, of: rows.length }] as const;
  const joined = likeSource(passages, withColumns(own, rowsAt(passages, sorted.map(placeOf))), step);
  const provenance = provenanceOf(joined);
  return setProvenance(joined, provenance && { ...provenance, codebook: book });
}

/**
 * The codebook of codes, from their provenance.
 *
 * @param name of the codes, for errors
 * @throws ValidationError if it is unknown
 */
export function codebookOf(name: string, codes: PolarsFrame, given: Codebook | undefined): Codebook {
  checkPolarsFrame(codes, name, "the frame of readCodes(…) or codeWith(…)");
  const book = given ?? provenanceOf(codes)?.codebook;
  const hint = "Codes know theirs if their passages came from an archive or a corpus. Otherwise give it: { book }.";
  if (book === undefined) throw faulty(name, "the frame does not know its codebook", hint);
  const missing = ["row", "coder"].filter((each) => !codes.columns.includes(each));
  if (missing.length > 0) throw missingColumns(name, missing);
  return book;
}

/** The variable of a codebook. @throws ValidationError that lists the variables */
export function variableOf({ variables }: Codebook, name: unknown): Variable {
  const found = variables.find((variable) => variable.name === name);
  if (found !== undefined) return found;
  throw invalid("variable", name, `Give one of ${variables.map((variable) => variable.name).join(", ")}.`);
}

/**
 * The codes of one variable by passage and coder, in the order of the frame. Passages without any are left out.
 *
 * @throws ValidationError for a code that the codebook does not have, and for two codes of a coder
 */
export function codesBy(
  codes: PolarsFrame,
  variable: Variable,
): ReadonlyMap<string, ReadonlyMap<string, string | number>> {
  const [rows, coders, values] = [textsOf(codes, "row"), textsOf(codes, "coder"), columnCells(codes, variable.name)];
  const found = new Map<string, Map<string, string | number>>();
  rows.forEach((row, at) => {
    const [coder, value] = [coders[at], checkCode(variable, values[at], `${row} by ${coders[at]}`)];
    if (row === null || coder == null || value === null) return;
    const own = found.get(row) ?? new Map<string, string | number>();
    if (own.has(coder))
      throw invalid("codes", `two rows of ${row} by ${coder}`, "Give every passage once for each coder.");
    found.set(row, own.set(coder, value));
  });
  return found;
}

/** For each variable, how many of the passages with several coders they agree on. */
export function agreed(codes: PolarsFrame, { variables }: Codebook): readonly string[] {
  return variables.flatMap((variable) => {
    const shared = [...codesBy(codes, variable).values()].filter((own) => own.size >= 2);
    if (variable.kind === "text" || shared.length === 0) return [];
    const same = shared.filter((own) => new Set(own.values()).size === 1).length;
    return `${formatCount(same)} of ${formatCount(shared.length)} passages (${variable.name})`;
  });
}
