import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { ValidationError } from "../errors/index.js";
import { invalid, show } from "../errors/validators.js";
import { warn } from "../errors/warn.js";
import { appendColumns } from "../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { statOf, userPath } from "../fs/paths.js";
import { readTable } from "../tables/readTable.js";
import { textsOf, withStep } from "../text/read/textSource.js";
import { joinWords } from "../util/text.js";
import { type Codebook, rules } from "./codebook.js";
import type { CheckedRow, CodeFault } from "./codeRules.js";
import { refuseDuplicateNames } from "./codes.js";
import { checkPassages, rowKeys, rowsAt } from "./passages.js";

/**
 * Reads the CSV files that coders exported from a `codingPage`, also after a spreadsheet saved them. Open cells are null.
 *
 * If files repeat a row with different codes, the latest one counts (warning `CODES_REPEATED`); passages without a code are reported
 * (`CODES_OPEN`).
 *
 * @param path a CSV file, or a directory with CSV files
 * @returns a row for each passage and coder: `row`, `coder`, the variables, `coded_at`, and the columns of the sample
 * @throws ValidationError for rows of another codebook or sample, invalid times, and unknown values; ArchiveError if a file cannot be read
 * @example
 * const codes = await readCodes("coding/", sample, book);
 * codes.columns.slice(0, 4); //=> ["row", "coder", "stance", "coded_at"]
 */
export async function readCodes(path: string, sample: PolarsFrame, book: Codebook): Promise<PolarsFrame> {
  const frame = checkPassages("sample", sample);
  refuseDuplicateNames(frame, book);
  const rows = rowKeys(frame);
  const keys = new Set(rows);
  const latest = new Map<string, CheckedRow>();
  const conflicts = new Set<string>();
  const files = filesOf(userPath("path", path, "coding/"));
  for (const file of files) {
    for (const [at, cells] of (await readCells(file)).entries()) {
      const where = `line ${at + 2} of ${basename(file)}`;
      const code = rules.checkRow(book, (row) => keys.has(row), cells);
      if (code === undefined) continue;
      if ("hint" in code) throw faultError(code, where, book);
      const { coder, row, values, time } = code;
      const key = JSON.stringify([coder, row]);
      const before = latest.get(key);
      if (before !== undefined && JSON.stringify(before.values) !== JSON.stringify(values)) conflicts.add(key);
      if (before === undefined || before.time <= time) latest.set(key, code);
    }
  }
  const codes = [...latest.values()];
  const times = `(${conflicts.size} times): the latest ones are used.`;
  if (conflicts.size > 0) warn("CODES_REPEATED", `A coder sent different codes for the same passage ${times}`);
  const open = keys.size - new Set(codes.map(({ row }) => row)).size;
  if (open > 0) warn("CODES_OPEN", `${open} of ${keys.size} passages have no codes yet.`);
  return codesFrame(frame, rows, book, codes);
}

/**
 * Codes as a frame: `row`, `coder`, the variables, `coded_at`, and the columns of the passages. Rows are in the order of the passages,
 * then of the codes.
 *
 * @param rows the keys of the passages
 */
function codesFrame(
  passages: PolarsFrame,
  rows: readonly string[],
  book: Codebook,
  codes: readonly CheckedRow[],
): PolarsFrame {
  const place = new Map(rows.map((row, at) => [row, at]));
  const placeOf = ({ row }: CheckedRow) => place.get(row) as number;
  const sorted = codes.toSorted((a, b) => placeOf(a) - placeOf(b));
  const lines = sorted.map(
    ({ row, coder, values, coded_at }): Record<string, unknown> => ({
      ...Object.fromEntries(values),
      row,
      coder,
      coded_at,
    }),
  );
  const columns = resultFrame([
    ...columnsOf(lines, pl.Utf8, "row", "coder"),
    ...book.variables.flatMap((each) => columnsOf(lines, each.kind === "number" ? pl.Float64 : pl.Utf8, each.name)),
    ...columnsOf(lines, pl.Utf8, "coded_at"),
  ]);
  const coders = joinWords([...new Set(codes.map(({ coder }) => coder))]);
  const names = joinWords(book.variables.map(({ name }) => name));
  const text = `coded by ${coders} for ${names} (${new Set(codes.map(({ row }) => row)).size} of ${rows.length} passages)`;
  const frame = appendColumns(columns, rowsAt(passages, sorted.map(placeOf)));
  const joined = withStep(passages, frame, "readCodes", text);
  const provenance = provenanceOf(joined);
  return setProvenance(joined, provenance && { ...provenance, codebook: book });
}

function filesOf(path: string): readonly string[] {
  if (statOf(path)?.isDirectory() !== true) return [path];
  const files = readdirSync(path).filter((name) => /\.csv$/i.test(name));
  if (files.length === 0)
    throw invalid("path", path, "It has no CSV files. Put what the coders exported from their pages there.");
  return files.sort().map((name) => join(path, name));
}

async function readCells(file: string): Promise<readonly ReadonlyMap<string, string | null>[]> {
  const { frame } = await readTable(file, { asText: true });
  const columns = frame.columns.map((name) => [name, textsOf(frame, name)] as const);
  const rowAt = (at: number) => new Map(columns.map(([name, cells]) => [name, cells[at] ?? null]));
  return Array.from({ length: frame.height }, (_, at) => rowAt(at));
}

function faultError({ name, value, hint }: CodeFault, where: string, book: Codebook): ValidationError {
  if (name === "codebook") {
    const message = `invalid codebook: ${show(value)} (${where}), the sample is coded with ${show(book.hash)}.`;
    const hint = "Read these codes with their own codebook, or have the passages coded again.";
    return new ValidationError(message, { hint, parameter: name });
  }
  if (name === "row") {
    const hint = "Give the sample that the pages were made of, and keep the column row as it was exported.";
    return new ValidationError(`invalid row: ${show(value)} (${where}) is not in the sample.`, {
      hint,
      parameter: name,
    });
  }
  if (name === "file") return invalid(name, where, `${hint} Give what a coding page has exported.`);
  return invalid(name, value, hint.replace(/\.$/, ` (${where}).`));
}
