import { NEWLINE, RETURN } from "../service/json/jsonBytes.js";
import type { MemberType, RowShape } from "../service/json/rowShape.js";
import type { RowSlices } from "../service/json/rowSlices.js";
import { selectColumns } from "./frameColumns.js";
import { type PolarsFrame, pl } from "./polars.js";

/** Consecutive rows of a response, located in its bytes. */
export interface RowRun extends RowSlices {
  /** The white space may contain line breaks. */
  readonly hasNewlines: boolean;
}

// What polars reads a type from: one line of these before the rows fixes every column.
export const SAMPLES: Readonly<Record<MemberType, unknown>> = {
  string: "",
  datetime: "",
  null: "",
  int: 0,
  float: 0.5,
  bool: true,
};

/** The line that fixes the columns of the lines after it. */
export function templateLine(names: readonly string[], samples: readonly unknown[]): string {
  return `{${names.map((name, at) => `${JSON.stringify(name)}:${JSON.stringify(samples[at])}`).join(",")}}\n`;
}

const templates = new WeakMap<RowShape, Buffer>();

/** The template line of a shape's members. */
export function templateOf(shape: RowShape): Buffer {
  const known = templates.get(shape);
  if (known !== undefined) return known;
  const samples = shape.types.map((kind) => SAMPLES[kind]);
  const template = Buffer.from(templateLine(shape.names, samples));
  templates.set(shape, template);
  return template;
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
  return names.length > 32 ? selectColumns(rows, names) : rows;
}

/** A large buffer grows by this many bytes, not to twice its size. */
const MAX_GROWTH = 2 ** 20;

/** Lines of JSON after a template line, gathered in one buffer that is used again and again. */
export class LinesBuffer {
  #bytes: Buffer = Buffer.alloc(0);
  #end = 0;
  #start = 0;

  /** Bytes of the rows gathered. */
  get size(): number {
    return this.#end - this.#start;
  }

  /** Forgets all rows, and begins anew with a template line. */
  begin(template: Buffer): void {
    this.#reserve(0, template.length);
    template.copy(this.#bytes);
    this.#start = template.length;
    this.#end = template.length;
  }

  /** Copies rows from the bytes of the wire: the one copy they are given. */
  add({ bytes, offsets, hasNewlines }: RowRun): void {
    let size = 0;
    for (let at = 0; at < offsets.length; at += 2) size += (offsets[at + 1] as number) - (offsets[at] as number) + 1;
    this.#reserve(this.#end, size);
    const lines = this.#bytes;
    const first = this.#end;
    for (let at = 0; at < offsets.length; ) {
      // Neighbours that one byte parts, as in every compact body, are copied in one go.
      const start = offsets[at] as number;
      let end = offsets[at + 1] as number;
      for (at += 2; offsets[at] === end + 1; at += 2) end = offsets[at + 1] as number;
      bytes.copy(lines, this.#end, start, end);
      this.#end += end - start + 1;
    }
    // A line break inside a row can only be white space; the byte after each row becomes one.
    if (hasNewlines) {
      for (let p = first; p < this.#end; p++) if (lines[p] === NEWLINE || lines[p] === RETURN) lines[p] = 0x20;
    }
    for (let at = 0, to = first; at < offsets.length; at += 2) {
      to += (offsets[at + 1] as number) - (offsets[at] as number);
      lines[to++] = NEWLINE;
    }
  }

  /** The template line and the rows. The bytes are those of the buffer: they hold until it begins anew. */
  lines(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  /** The rows from the `start`-th byte of them to the `end`-th, as a JSON list. */
  list(start: number, end: number): string {
    const text = this.#bytes.toString("utf8", this.#start + start, this.#start + end);
    return `[${text.replaceAll("\n", ",").slice(0, -1)}]`;
  }

  #reserve(used: number, further: number): void {
    if (used + further <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(
      used === 0
        ? further
        : Math.max(used + further, Math.min(2 * this.#bytes.length, this.#bytes.length + MAX_GROWTH)),
    );
    this.#bytes.copy(larger, 0, 0, used);
    this.#bytes = larger;
  }
}
