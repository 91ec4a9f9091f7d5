import { readFile } from "node:fs/promises";
import { TextDecoder } from "node:util";
import { withDtypes } from "../frames/dtypes.js";
import { parseExact, wholeFloats } from "../frames/exactJson.js";
import { selectColumns } from "../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import { parquetRows } from "./columnarFiles.js";
import { type Fields, textTypes, withFields } from "./fields.js";
import { ROWS, type TableInput, type TableReader, utf8File } from "./receiveFile.js";
import { tableFrame } from "./tableFrame.js";
import { typedText } from "./textTypes.js";

export const readJson: TableReader = (input) => readJsonFile(input, false);

export const readJsonLines: TableReader = (input) => readJsonFile(input, true);

async function readJsonFile(input: TableInput, isLines: boolean): Promise<{ frame: PolarsFrame }> {
  const { connection, directory, fields, isDescribed } = input;
  const bytes = await readFile(await utf8File(input.file, input.encoding));
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  const found = floats(frameOf(rowsOf(text, isLines)), wholeFloats(text));
  const frame = ordered(found, isDescribed ? fields : new Map());
  if (frame.width === 0) return { frame };
  const rows = await parquetRows(frame, directory);
  const dtypes = frame.dtypes;
  const columns = frame.columns.map((name, at) => ({
    name: `c${at}`,
    known: dtypes[at]?.variant === "String" ? textTypes(fields.get(name)) : [],
  }));
  const typed = await typedText(connection, rows, columns, true);
  const values = columns.map(({ name }) => `${typed.get(name) ?? name} as ${name}`);
  await connection.run(`create view ${ROWS} as select ${values.join()} from ${rows}`);
  return { frame: withFields(await tableFrame(connection, ROWS, directory, frame.columns), fields) };
}

function frameOf(rows: unknown): PolarsFrame {
  try {
    return toDataFrame(rows);
  } catch (error) {
    throw new Error(`it contains no rows (${(error as Error).message.slice(0, 200)})`);
  }
}

/** The rows of JSON or JSON Lines, regardless of the file name. */
function rowsOf(text: string, isLines: boolean): unknown {
  // JSON Lines without rows are an empty file.
  if (text.trim() === "") {
    if (isLines) return [];
    throw new Error("it is empty");
  }
  const lines = () =>
    text.split("\n").flatMap((line, at) => (line.trim() === "" ? [] : [parsed(line, ` in line ${at + 1}`)]));
  const whole = () => parsed(text, "");
  const isList = /^\s*\[/.test(text);
  const [first, second] = isLines && !isList ? [lines, whole] : [whole, lines];
  try {
    return first();
  } catch (error) {
    try {
      return second();
    } catch (other) {
      // A list over several lines is not JSON Lines, so the other error is irrelevant.
      throw isList || isLines ? error : other;
    }
  }
}

function parsed(text: string, where: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    throw new Error(`it is not JSON${where} (${(error as Error).message.split("\n")[0]?.slice(0, 100)})`);
  }
}

/** Casts integer columns to Float64 if their numbers were written with a fraction (1.0). */
function floats(frame: PolarsFrame, names: ReadonlySet<string>): PolarsFrame {
  if (names.size === 0) return frame;
  const dtypes = frame.dtypes.map(({ variant }) => (variant === "List" ? "List(Float64)" : "Float64"));
  const isFloat = frame.columns.map((name) => names.has(name) || names.has(name.slice(name.lastIndexOf(".") + 1)));
  const isInteger = frame.dtypes.map((dtype) => /\(Int64\)+$/.test(String(dtype)));
  return withDtypes(
    frame,
    dtypes.map((dtype, at) => (isFloat[at] && isInteger[at] ? dtype : undefined)),
  );
}

/** Restores the described columns and their order: a file without rows has none, and JavaScript moves members called `2024` to the front. */
function ordered(frame: PolarsFrame, fields: Fields): PolarsFrame {
  const names = [...fields.keys()];
  if (frame.height === 0 && names.length > 0)
    return withFields(pl.DataFrame(names.map((name) => pl.Series(name, [], pl.Utf8))), fields);
  const columns = frame.columns;
  const isKnown = columns.length === names.length && columns.every((name) => fields.has(name));
  return isKnown ? selectColumns(frame, names) : frame;
}
