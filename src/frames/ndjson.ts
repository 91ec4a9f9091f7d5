import { NEWLINE, RETURN } from "../service/json/jsonBytes.js";
import type { MemberType, RowShape } from "../service/json/rowShape.js";
import type { RowSlices } from "../service/json/rowSlices.js";
import { selectColumns } from "./frameColumns.js";
import { type PolarsFrame, pl } from "./polars.js";

/** Consecutive rows of a response, as ranges of its bytes. */
export interface RowRun extends RowSlices {
  /** Whether the white space may contain line breaks. */
  readonly hasNewlines: boolean;
}

/** A sample value of each type. A line of samples before the rows fixes the type that polars infers for every column. */
export const SAMPLES: Readonly<Record<MemberType, unknown>> = {
  string: "",
  datetime: "",
  null: "",
  int: 0,
  float: 0.5,
  bool: true,
};

/** The line from which polars infers the columns and types of the lines after it. */
export function templateLine(names: readonly string[], samples: readonly unknown[]): string {
  return `{${names.map((name, at) => `${JSON.stringify(name)}:${JSON.stringify(samples[at])}`).join(",")}}\n`;
}

const templates = new WeakMap<RowShape, Buffer>();

/** The template line of a shape's members. */
export function templateOf(shape: RowShape): Buffer {
  const known = templates.get(shape);
  if (known !== undefined) return known;
  const samples = shape.types.map((type) => SAMPLES[type]);
  const template = Buffer.from(templateLine(shape.names, samples));
  templates.set(shape, template);
  return template;
}

/**
 * Parses NDJSON whose first line is a template line into a frame of the lines after it.
 *
 * @param names the columns of the template, in order; polars may reorder more than 32 columns
 * @throws Error if a line does not fit the template or is not JSON
 */
export function readLines(lines: Buffer, names: readonly string[]): PolarsFrame {
  const frame = pl.readJSON(lines, { format: "lines", inferSchemaLength: 1 });
  const rows = frame.slice(1, frame.height - 1);
  return names.length > 32 ? selectColumns(rows, names) : rows;
}

/** A buffer doubles in size until it would grow by more than this many bytes at a time. */
const MAX_GROWTH = 2 ** 20;

/** Collects NDJSON after a template line, in one reusable buffer. */
export class LinesBuffer {
  #bytes: Buffer = Buffer.alloc(0);
  #end = 0;
  #start = 0;

  /** The size of the rows in bytes. */
  get size(): number {
    return this.#end - this.#start;
  }

  /** Discards all rows and starts with a new template line. */
  begin(template: Buffer): void {
    this.#reserve(0, template.length);
    template.copy(this.#bytes);
    this.#start = template.length;
    this.#end = template.length;
  }

  /** Appends rows, copied from the received bytes: their only copy. */
  add({ bytes, offsets, hasNewlines }: RowRun): void {
    let size = 0;
    for (let at = 0; at < offsets.length; at += 2) size += (offsets[at + 1] as number) - (offsets[at] as number) + 1;
    this.#reserve(this.#end, size);
    const lines = this.#bytes;
    const first = this.#end;
    for (let at = 0; at < offsets.length; ) {
      // Rows separated by a single byte, as in every compact body, are copied together.
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

  /** The template line and the rows. A view of the buffer, valid until the next {@link begin}. */
  lines(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  /** The rows between two byte offsets, counted from the first row, as a JSON array. */
  list(start: number, end: number): string {
    const text = this.#bytes.toString("utf8", this.#start + start, this.#start + end);
    return `[${text.replaceAll("\n", ",").slice(0, -1)}]`;
  }

  #reserve(used: number, added: number): void {
    if (used + added <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(
      used === 0 ? added : Math.max(used + added, Math.min(2 * this.#bytes.length, this.#bytes.length + MAX_GROWTH)),
    );
    this.#bytes.copy(larger, 0, 0, used);
    this.#bytes = larger;
  }
}
