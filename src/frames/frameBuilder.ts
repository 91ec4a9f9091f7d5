import { declaredShape, type MemberType, type RowShape, rowShape } from "../service/json/rowShape.js";
import { rowsBytes, rowsJson } from "../service/json/rowSlices.js";
import type { DeclaredColumns } from "../service/operations/operations.js";
import { checkCells, type FrameSize } from "./cellLimit.js";
import { type Chunk, uniformChunk } from "./chunk.js";
import { parseExact } from "./exactJson.js";
import { IrregularRows } from "./irregularRows.js";
import { flagsOf, joinChunks } from "./joinChunks.js";
import { MemberTree } from "./memberTree.js";
import { LinesBuffer, type RowRun, templateOf } from "./ndjson.js";
import type { PolarsFrame } from "./polars.js";
import { columnType, flagOf, TypeFlags } from "./typeFlags.js";
import { UnusablePageError } from "./unusablePageError.js";

/** Bytes of rows to buffer before they are parsed into columns: enough to amortize the fixed costs, small enough to hold in memory. */
const FLUSH_BYTES = 4 * 2 ** 20;
/** The first irregular rows are parsed early, so that later pages benefit from the members they add to the shape. */
const FIRST_IRREGULAR_BYTES = 64 * 2 ** 10;

/** The rows of one response: their byte ranges, and whether the bytes can be parsed without inspecting each row. */
export interface PageOfRows extends RowRun {
  /** Every row fits {@link FrameBuilder.shape}. */
  readonly uniform: boolean;
  /** Called when the bytes are no longer needed. */
  readonly release?: () => void;
}

/**
 * Turns pages of rows, as received bytes, into a polars frame with typed columns.
 *
 * Pages whose rows fit the shape (the declared members and those seen since) never become JavaScript values. Other rows
 * take the slow path and extend the shape. The result does not depend on how the rows were split into pages.
 */
export class FrameBuilder {
  readonly #declared: ReadonlyMap<string, number>;
  #flags: ReadonlyMap<string, number>;
  #shape: RowShape;
  #chunks: Chunk[] = [];
  #rows = 0;
  /** Pages added so far. */
  #pages = 0;
  /** Buffered uniform rows, and the offset at which each page ends. */
  readonly #lines = new LinesBuffer();
  #ends: number[] = [];
  /** Buffered pages for the slow path, including uniform pages that follow an irregular one. */
  #irregular: PageOfRows[] = [];
  #irregularBytes = 0;
  #irregularLimit = FIRST_IRREGULAR_BYTES;
  /** The members of all rows that took the slow path. */
  readonly #members: MemberTree;
  /** Rows and bytes of all pages, including those of earlier frames. */
  #rowsReceived = 0;
  #bytesReceived = 0;

  /**
   * @param columns the declared members and their types, in column order
   * @param known the `flags` of a builder that has seen all rows: every frame then has the columns and types of the full result
   */
  constructor(columns: DeclaredColumns, known: ReadonlyMap<string, number> = new Map()) {
    this.#shape = declaredShape(columns);
    this.#declared = new Map(Object.entries(columns).map(([name, type]) => [name, flagOf(type)]));
    this.#flags = new Map([...this.#declared, ...known]);
    this.#members = new MemberTree(this.#declared);
  }

  /** The columns so far, in order, with the type flags of their values. */
  get flags(): ReadonlyMap<string, number> {
    return this.#flags;
  }

  /** The shape to check the next page against. */
  get shape(): RowShape {
    return this.#shape;
  }

  /** Rows added since the last {@link take}, excluding those that could not be parsed. */
  get rows(): number {
    return this.#rows;
  }

  /** @throws UnusablePageError if an added page is not valid JSON or makes the frame too large; earlier pages remain */
  add(page: PageOfRows): void {
    this.#pages++;
    this.#rows += page.offsets.length / 2;
    this.#rowsReceived += page.offsets.length / 2;
    this.#bytesReceived += rowsBytes(page).length;
    if (page.uniform && this.#irregular.length === 0) this.#addUniform(page);
    else this.#addIrregular(page);
  }

  #addUniform(page: PageOfRows): void {
    const columns = this.#members.columns.length - this.#members.declared;
    try {
      this.#check({ rows: this.#rowsReceived, columns, nameLength: 0 });
    } catch (cause) {
      this.#rows -= page.offsets.length / 2;
      throw new UnusablePageError(this.#pages - 1, cause);
    }
    if (this.#ends.length === 0) this.#lines.begin(templateOf(this.#shape));
    this.#lines.add(page);
    page.release?.();
    this.#ends.push(this.#lines.size);
    if (this.#lines.size >= FLUSH_BYTES) this.#flush();
  }

  #addIrregular(page: PageOfRows): void {
    if (this.#ends.length > 0) this.#flush();
    this.#irregular.push(page);
    this.#irregularBytes += rowsBytes(page).length;
    if (this.#irregularBytes >= this.#irregularLimit) this.#flush();
  }

  /**
   * Returns the frame of all rows added so far and empties the builder, which remembers its columns and shape.
   *
   * @throws UnusablePageError as `add` does; a second call returns the rows before that page
   */
  take(): PolarsFrame {
    return this.frameOf(this.drain());
  }

  /**
   * Returns all rows added so far, without final column types, and empties the builder, which remembers its columns and shape.
   *
   * @throws UnusablePageError as `add` does; a second call returns the rows before that page
   */
  drain(): Chunk[] {
    this.#flush();
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#rows = 0;
    this.#flags = flagsOf(this.#flags, chunks);
    return chunks;
  }

  /** Builds the frame of drained chunks; its columns and types follow from all rows drained so far. */
  frameOf(chunks: readonly Chunk[]): PolarsFrame {
    return joinChunks(this.#flags, chunks.length > 0 ? chunks : [uniformChunk(this.#shape, templateOf(this.#shape))]);
  }

  #flush(): void {
    if (this.#ends.length > 0) this.#flushUniform();
    if (this.#irregular.length > 0) this.#flushIrregular();
  }

  #flushUniform(): void {
    const ends = this.#ends;
    this.#ends = [];
    try {
      this.#chunks.push(uniformChunk(this.#shape, this.#lines.lines()));
    } catch {
      // polars rejects invalid UTF-8, for example. The slow path parses it as JSON.parse would, or names the unusable page.
      this.#parseIrregular(ends.map((end, index) => () => this.#lines.list(ends[index - 1] ?? 0, end)));
    }
  }

  #flushIrregular(): void {
    const pages = this.#irregular;
    this.#irregular = [];
    this.#irregularBytes = 0;
    this.#irregularLimit = Math.min(2 * this.#irregularLimit, FLUSH_BYTES);
    this.#parseIrregular(pages.map((page) => () => rowsJson(page)));
    for (const page of pages) page.release?.();
  }

  /** Parses pages on the slow path. Each function returns the rows of one page as a JSON array. */
  #parseIrregular(pages: ReadonlyArray<() => string>): void {
    const irregular = new IrregularRows(this.#members);
    let unusable: UnusablePageError | undefined;
    for (const [index, rowsOfPage] of pages.entries()) {
      const { rows } = irregular.size;
      try {
        irregular.add(parseExact(rowsOfPage()) as object[]);
        this.#check({ ...irregular.size, rows: this.#rowsReceived });
      } catch (cause) {
        unusable = new UnusablePageError(this.#pages - pages.length + index, cause);
        irregular.truncate(rows);
        this.#rows = rows + this.#chunks.reduce((sum, { frame }) => sum + frame.height, 0);
        break;
      }
    }
    const chunk = irregular.chunk();
    this.#chunks.push(chunk);
    this.#extendShape(chunk);
    if (unusable !== undefined) throw unusable;
  }

  /** Refuses a large, nearly empty frame, judged by the bytes received over all frames. */
  #check(size: FrameSize): void {
    checkCells(size, this.#bytesReceived);
  }

  /** Extends the shape with the members and types of a chunk, so that later pages like it are uniform. */
  #extendShape(chunk: Chunk): void {
    const { names, types } = this.#shape;
    const members = new Map(names.map((name, at) => [name, types[at] as MemberType]));
    let changed = false;
    for (const [name, column] of chunk.columns) {
      if (this.#declared.has(name) || !column.isMember) continue;
      const known = members.get(name);
      const type = memberType(column.flags | (known === undefined ? 0 : flagOf(known)));
      if (type === undefined || type === known) continue;
      members.set(name, type);
      changed = true;
    }
    if (changed) this.#shape = rowShape(members);
  }
}

/** The member type to scan for; `undefined` if the values do not fit any. */
function memberType(flags: number): MemberType | undefined {
  if (flags === 0) return "null";
  if ((flags & TypeFlags.list) !== 0) return undefined;
  const type = columnType(flags);
  return type === "list" ? undefined : type;
}
