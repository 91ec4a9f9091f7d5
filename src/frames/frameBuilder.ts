import type { ArchiveError } from "../errors/index.js";
import type { RowRun } from "../pages/arrowStream.js";
import {
  declaredShape,
  type MemberType,
  type RowShape,
  rowShape,
  rowsBytes,
  rowText,
  type ScannedRows,
} from "../pages/rows.js";
import type { DeclaredColumns } from "../service/operations/operations.js";
import { type Chunk, chunkOf, flagsOf, interleave, joinChunks } from "./chunk.js";
import { parseExact } from "./exactJson.js";
import { IrregularRows } from "./irregularRows.js";
import type { PolarsFrame } from "./polars.js";
import { columnType, flagOf, TypeFlags } from "./typeFlags.js";

/** Bytes of rows to collect before they become columns: enough to amortize the fixed costs, small enough to hold in memory. */
const FLUSH_BYTES = 2 ** 19;
/** After the first irregular rows, the shape is extended again after this many bytes of them, then after twice as many, … */
const FIRST_IRREGULAR_BYTES = 64 * 2 ** 10;

/** A page that makes the frame too large. The cause is the error for the user. */
export class UnusablePageError extends Error {
  declare readonly cause: ArchiveError;

  /** @param page the number of pages before it */
  constructor(
    readonly page: number,
    cause: ArchiveError,
  ) {
    super("a page cannot be used", { cause });
  }
}

/**
 * Turns pages of rows, as received bytes, into a polars frame with typed columns.
 *
 * Rows that fit the shape (the declared members and those seen since) never become JavaScript values. The others are parsed, and
 * extend the shape. The result does not depend on how the rows were split into pages.
 */
export class FrameBuilder {
  #flags: ReadonlyMap<string, number>;
  #shape: RowShape;
  #chunks: Chunk[] = [];
  #rows = 0;
  /** Pages added so far. */
  #pages = 0;
  /** Rows that are not in a chunk yet: their number, their shape, those that fit it, and where the others are. */
  #pending = 0;
  #runShape: RowShape;
  #runs: RowRun[] = [];
  #irregularAt: number[] = [];
  #bytes = 0;
  readonly #irregular: IrregularRows;
  /** Bytes of irregular rows since the shape was extended, and how many there may be. */
  #unlearnt = 0;
  #learnLimit = 0;
  /** Rows and bytes of all pages, including those of earlier frames. */
  #rowsReceived = 0;
  #bytesReceived = 0;

  /**
   * @param columns the declared members and their types, in column order
   * @param known the `flags` of a builder that has seen all rows: every frame then has the columns and types of the full result
   */
  constructor(columns: DeclaredColumns, known: ReadonlyMap<string, number> = new Map()) {
    this.#shape = declaredShape(columns);
    this.#runShape = this.#shape;
    const declared = new Map(Object.entries(columns).map(([name, type]) => [name, flagOf(type)]));
    this.#flags = new Map([...declared, ...known]);
    this.#irregular = new IrregularRows(declared);
  }

  /** The columns so far, in order, with the type flags of their values. */
  get flags(): ReadonlyMap<string, number> {
    return this.#flags;
  }

  /** The shape to check the next page against. */
  get shape(): RowShape {
    return this.#shape;
  }

  /** Rows added since the last {@link take}. */
  get rows(): number {
    return this.#rows;
  }

  /** @throws UnusablePageError if the page makes the frame too large; earlier pages remain */
  add(page: ScannedRows): void {
    const { tape } = page;
    this.#pages++;
    this.#rowsReceived += tape.rows;
    const bytes = rowsBytes(page).length;
    this.#bytesReceived += bytes;
    if (tape.shape !== this.#runShape) this.#flush();
    this.#runShape = tape.shape;
    const irregularAt = tape.irregularRows;
    const irregular = irregularAt.map((row) => parseExact(rowText(page, row)) as object);
    try {
      this.#irregular.add(irregular, this.#rowsReceived, this.#bytesReceived);
    } catch (cause) {
      throw new UnusablePageError(this.#pages - 1, cause as ArchiveError);
    }
    let from = 0;
    for (const row of [...irregularAt, tape.rows]) {
      if (row > from) this.#runs.push({ page, from, rows: row - from });
      from = row + 1;
    }
    for (const row of irregularAt) {
      this.#irregularAt.push(this.#pending + row);
      this.#unlearnt += tape.end(row) - tape.start(row);
    }
    this.#pending += tape.rows;
    this.#rows += tape.rows;
    this.#bytes += bytes;
    if (this.#unlearnt > this.#learnLimit) {
      this.#learnLimit = Math.min(Math.max(FIRST_IRREGULAR_BYTES, 2 * this.#learnLimit), FLUSH_BYTES);
      this.#extendShape();
    }
    if (this.#bytes >= FLUSH_BYTES) this.#flush();
  }

  /** Returns the frame of all rows added so far and empties the builder, which remembers its columns and shape. */
  take(): PolarsFrame {
    return this.frameOf(this.drain());
  }

  /** Returns all rows added so far, without final column types, and empties the builder, which remembers its columns and shape. */
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
    return joinChunks(this.#flags, chunks);
  }

  #flush(): void {
    if (this.#pending === 0) return;
    if (this.#unlearnt > 0) this.#extendShape();
    const regular = this.#runs.length === 0 ? undefined : chunkOf(this.#runShape, this.#runs);
    if (this.#irregular.count === 0) this.#chunks.push(regular as Chunk);
    else {
      const irregular = this.#irregular.take(regular?.columns);
      this.#chunks.push(regular === undefined ? irregular : interleave(regular, irregular, this.#irregularAt));
    }
    this.#runs = [];
    this.#irregularAt = [];
    this.#pending = 0;
    this.#bytes = 0;
  }

  /** Extends the shape with the members and types of irregular rows, so that later rows like them are regular. */
  #extendShape(): void {
    this.#unlearnt = 0;
    const { names, types } = this.#shape;
    const members = new Map(names.map((name, at) => [name, types[at] as MemberType]));
    let changed = false;
    for (const { name, path, declared, flags } of this.#irregular.columns) {
      if (declared !== 0 || path.length > 1 || path[0] !== name) continue;
      const known = members.get(name);
      const type = memberType(flags | (known === undefined ? 0 : flagOf(known)));
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
  const type = columnType(flags);
  return type === "list" || (flags & TypeFlags.list) !== 0 ? undefined : type;
}
