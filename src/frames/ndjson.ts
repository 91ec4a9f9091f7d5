import { NEWLINE, RETURN } from "../service/pages/jsonBytes.js";
import type { MemberKind } from "../service/pages/rowShape.js";
import { type PolarsFrame, pl } from "./polars.js";

/** A run of rows in the bytes of a response: start and end of each, in order. */
export interface RowRun {
  readonly bytes: Buffer;
  readonly spans: readonly number[];
  /** The white space may hold line breaks. */
  readonly broken: boolean;
}

// What polars reads a type from: one line of these before the rows fixes every column.
const SAMPLES: Record<MemberKind, unknown> = { string: "", datetime: "", null: "", int: 0, float: 0.5, bool: true };

/** The line that fixes the columns of the lines after it. */
export function templateLine(names: readonly string[], samples: readonly unknown[]): string {
  return `{${names.map((name, at) => `${JSON.stringify(name)}:${JSON.stringify(samples[at])}`).join(",")}}\n`;
}

/** The template line of a shape's members. */
export function templateOf(names: readonly string[], kinds: readonly MemberKind[]): Buffer {
  return Buffer.from(
    templateLine(
      names,
      kinds.map((kind) => SAMPLES[kind]),
    ),
  );
}

/**
 * Reads lines of JSON that begin with a template line into a frame without that line.
 *
 * @param names the columns of the template, in order: beyond 32 of them polars reads them in any order
 * @throws Error where a line does not fit the template or is not JSON
 */
export function readLines(lines: Buffer, names: readonly string[]): PolarsFrame {
  const frame = pl.readJSON(lines, { format: "lines", inferSchemaLength: 1 });
  const rows = frame.slice(1, frame.height - 1);
  return names.length > 32 ? rows.select(...names) : rows;
}

/** The rows of several responses as lines of JSON after a template line: the bytes of the wire, copied once. */
export function toLines(template: Buffer, runs: readonly RowRun[]): Buffer {
  let size = template.length;
  for (const { spans } of runs) {
    for (let at = 0; at < spans.length; at += 2) size += (spans[at + 1] as number) - (spans[at] as number) + 1;
  }
  const lines = Buffer.allocUnsafe(size);
  template.copy(lines);
  let to = template.length;
  for (const { bytes, spans, broken } of runs) {
    const first = to;
    let at = 0;
    while (at < spans.length) {
      // Neighbours that one byte parts, as in every compact body, are copied in one go.
      const start = spans[at] as number;
      let end = spans[at + 1] as number;
      for (at += 2; spans[at] === end + 1; at += 2) end = spans[at + 1] as number;
      bytes.copy(lines, to, start, end);
      to += end - start;
      lines[to++] = NEWLINE;
    }
    patchSeparators(lines, first, spans);
    if (broken) blankBreaks(lines, first, to, spans);
  }
  return lines;
}

/** Turns the comma after each row into a line break. */
function patchSeparators(lines: Buffer, first: number, spans: readonly number[]): void {
  let to = first;
  for (let at = 0; at < spans.length; at += 2) {
    to += (spans[at + 1] as number) - (spans[at] as number);
    lines[to++] = NEWLINE;
  }
}

/** Blanks the line breaks inside rows, which can only be white space. */
function blankBreaks(lines: Buffer, first: number, end: number, spans: readonly number[]): void {
  for (let p = first; p < end; p++) if (lines[p] === NEWLINE || lines[p] === RETURN) lines[p] = 0x20;
  patchSeparators(lines, first, spans);
}
