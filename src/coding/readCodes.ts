import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ValidationError } from "../errors/index.js";
import { invalid, show } from "../errors/validators.js";
import { warn } from "../errors/warn.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { readReceivedFile } from "../fs/readReceivedFile.js";
import { userPath } from "../fs/userPath.js";
import { type Codebook, checkCode, codebookChanges } from "./codebook.js";
import { type Code, checkColumns, codesFrame } from "./codes.js";
import { checkPassages, rowKeys } from "./passages.js";

/** A page of 10,000 passages with long notes has a tenth of this. */
const MAX_BYTES = 100_000_000;

/**
 * Reads what came back from coders: the CSV files that {@link codingPage} exports, also after they were saved by a spreadsheet (with a
 * byte-order mark, with semicolons). Half-finished files are fine: open cells are null.
 *
 * Rows that several files repeat count once; if their codes differ, the latest one counts. That, and passages that nobody has coded, is
 * reported as a warning (`CODES_REPEATED`, `CODES_OPEN`).
 *
 * @param path a CSV file, or a directory with CSV files
 * @param sample the frame that the pages were made of
 * @param book the codebook that they were made of
 * @returns a row for each passage and coder: `row`, `coder`, the variables, `coded_at`, and the columns of the sample
 * @throws ValidationError for rows of another codebook (it says what has changed) or of another sample, and for values that the codebook
 *   does not have; FileError if a file cannot be read
 * @example
 * const codes = await readCodes("coding/", sample, book);
 * codes.columns.slice(0, 4); //=> ["row", "coder", "stance", "coded_at"]
 */
export async function readCodes(path: string, sample: PolarsFrame, book: Codebook): Promise<PolarsFrame> {
  const frame = checkPassages("sample", sample);
  checkColumns(frame, book, ["row", "coder", "coded_at"]);
  const rows = rowKeys(frame);
  const known = new Set(rows);
  const latest = new Map<string, Code>();
  const differing = new Set<string>();
  for (const file of filesOf(userPath("path", path, "coding/"))) {
    rowsOf(file).forEach((line, at) => {
      const code = codeOf(line, book, known, `line ${at + 2} of ${basename(file)}`, dirname(file));
      if (code === undefined) return;
      const key = JSON.stringify([code.coder, code.row]);
      const before = latest.get(key);
      if (before !== undefined && JSON.stringify(before.values) !== JSON.stringify(code.values)) differing.add(key);
      if (before === undefined || (before.about.coded_at ?? "") <= (code.about.coded_at ?? "")) latest.set(key, code);
    });
  }
  const codes = [...latest.values()];
  const times = `(${differing.size} times): the latest count.`;
  if (differing.size > 0) warn("CODES_REPEATED", `A coder sent different codes for the same passage ${times}`);
  const open = known.size - new Set(codes.map(({ row }) => row)).size;
  if (open > 0) warn("CODES_OPEN", `${open} of ${known.size} passages have no codes yet.`);
  const variables = book.variables.map(({ name }) => name);
  return codesFrame(frame, rows, book, codes, ["coded_at"], ["readCodes", "joined", variables]);
}

function filesOf(path: string): readonly string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw invalid("path", path, "There is no such file or directory.");
  if (!stats.isDirectory()) return [path];
  const files = readdirSync(path).filter((name) => /\.csv$/i.test(name));
  if (files.length === 0)
    throw invalid("path", path, "It has no CSV files. Put what the coders exported from their pages there.");
  return files.sort().map((name) => join(path, name));
}

/** The rows of a CSV file as text. */
function rowsOf(file: string): readonly Readonly<Record<string, string | null>>[] {
  const bytes = readReceivedFile(dirname(file), basename(file), MAX_BYTES);
  const [header = ""] = bytes.subarray(0, 10_000).toString("utf8").split(/\r?\n/, 1);
  const sep = [";", "\t"].find((each) => header.split(each).length > header.split(",").length) ?? ",";
  try {
    return pl.readCSV(bytes, { inferSchemaLength: 0, nullValues: [""], sep }).toRecords() as Record<
      string,
      string | null
    >[];
  } catch (error) {
    const [problem = ""] = error instanceof Error ? error.message.split("\n") : [];
    throw invalid("file", file, `It is no CSV file with a header (${problem.slice(0, 200)}).`);
  }
}

/** The code of a line; undefined if nothing was coded. */
function codeOf(
  line: Readonly<Record<string, string | null>>,
  book: Codebook,
  known: ReadonlySet<string>,
  where: string,
  directory: string,
): Code | undefined {
  const { coder, codebook = book.hash, row, coded_at = null } = line;
  if (codebook !== book.hash) throw otherCodebook(codebook, book, where, directory);
  const missing = ["coder", "codebook", "row", ...book.variables.map(({ name }) => name)].filter(
    (name) => !(name in line),
  );
  if (missing.length > 0)
    throw invalid("file", where, `It lacks the columns ${missing.join(", ")}. Give what a coding page has exported.`);
  const hint = "Give the sample that the pages were made of, and keep the column row as it was exported.";
  if (typeof row !== "string" || !known.has(row))
    throw new ValidationError(`invalid row: ${show(row)} (${where}) is not in the sample.`, { hint, parameter: "row" });
  if (typeof coder !== "string" || coder.trim() === "") throw invalid("coder", coder, `Every row has one (${where}).`);
  // The page puts an apostrophe before what a spreadsheet would run as a formula.
  const cell = (name: string) => line[name]?.replace(/^'(?=[=+\-@\t\r'])/, "");
  const values = book.variables.map((each) => [each.name, checkCode(each, cell(each.name), where)] as const);
  if (values.every(([, value]) => value === null)) return undefined;
  return { row, coder: coder.trim(), values: Object.fromEntries(values), about: { coded_at } };
}

function otherCodebook(hash: string | null, book: Codebook, where: string, directory: string): ValidationError {
  let changes = "";
  try {
    if (/^[\da-f]{16}$/.test(hash ?? "")) {
      const before = JSON.parse(readReceivedFile(directory, `codebook-${hash}.json`, MAX_BYTES).toString("utf8"));
      changes = ` Since then, ${codebookChanges(before as Codebook, book)}.`;
    }
  } catch {
    // Without the older codebook, its hash has to do.
  }
  const message = `invalid codebook: ${show(hash)} (${where}), the sample is coded with ${show(book.hash)}.${changes}`;
  const hint = "Read these codes with their own codebook, or have the passages coded again.";
  return new ValidationError(message, { hint, parameter: "codebook" });
}
