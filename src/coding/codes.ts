import { faulty, invalid } from "../errors/validators.js";
import { checkPolarsFrame } from "../frames/engine.js";
import { columnCells } from "../frames/frameColumns.js";
import type { PolarsFrame } from "../frames/polars.js";
import { provenanceOf } from "../frames/provenanceOf.js";
import { missingColumns, textsOf } from "../text/read/textSource.js";
import { isObject } from "../util/objects.js";
import { type Codebook, checkCode, type Variable } from "./codebook.js";

declare module "../service/paging/provenanceRecorder.js" {
  interface Provenance {
    /** Only for codes: the codebook that they follow. */
    codebook?: Codebook;
  }
}

/** The columns that `readCodes` adds to passages besides the variables. */
const READ_COLUMNS = ["row", "coder", "coded_at"];

function checkCodebook(book: Codebook): Codebook {
  if (isObject(book) && Array.isArray(book.variables)) return book;
  throw invalid("book", book, "Give the result of codebook({ … }).");
}

/** @throws ValidationError if a variable has the name of a column of the passages, and for anything but a codebook */
export function refuseDuplicateNames(frame: PolarsFrame, book: Codebook): void {
  const names = [...checkCodebook(book).variables.map(({ name }) => name), ...READ_COLUMNS];
  const duplicate = names.find((name) => frame.columns.includes(name));
  if (duplicate === undefined) return;
  const hint = "The passages have a column of that name. Rename the variable, or drop the column.";
  throw invalid("variable", duplicate, hint);
}

/**
 * The codebook that is given or in the provenance of codes.
 *
 * @param name the parameter with the codes, for errors
 * @throws ValidationError if it is unknown
 */
export function codebookOf(name: string, codes: PolarsFrame, option: Codebook | undefined): Codebook {
  checkPolarsFrame(codes, name, "the frame of readCodes(…)");
  const book = option ?? provenanceOf(codes)?.codebook;
  const hint = "Codes know theirs if their passages came from an archive or a corpus. Otherwise give it: { book }.";
  if (book === undefined) throw faulty(name, "the frame does not know its codebook", hint);
  const missing = ["row", "coder"].filter((each) => !codes.columns.includes(each));
  if (missing.length > 0) throw missingColumns(name, missing);
  return checkCodebook(book);
}

/** The variable of a codebook. @throws ValidationError that lists the variables */
export function variableOf({ variables }: Codebook, name: unknown): Variable {
  const variable = variables.find((each) => each.name === name);
  if (variable !== undefined) return variable;
  throw invalid("variable", name, `Give one of ${variables.map((each) => each.name).join(", ")}.`);
}

/**
 * The codes of one variable by passage and coder, in the order of the frame, without passages that have none.
 *
 * @throws ValidationError for a code that the codebook does not have, and for two codes of a coder
 */
export function codesBy(
  codes: PolarsFrame,
  variable: Variable,
): ReadonlyMap<string, ReadonlyMap<string, string | number>> {
  const [rows, coders, values] = [textsOf(codes, "row"), textsOf(codes, "coder"), columnCells(codes, variable.name)];
  const codesByRow = new Map<string, Map<string, string | number>>();
  rows.forEach((row, at) => {
    const [coder, value] = [coders[at], checkCode(variable, values[at], `${row} by ${coders[at]}`)];
    if (row === null || coder == null || value === null) return;
    const codesOfRow = codesByRow.get(row) ?? new Map<string, string | number>();
    if (codesOfRow.has(coder))
      throw invalid("codes", `two rows of ${row} by ${coder}`, "Give every passage once for each coder.");
    codesByRow.set(row, codesOfRow.set(coder, value));
  });
  return codesByRow;
}
