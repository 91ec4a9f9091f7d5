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

/** Bytes that are read into columns in one go: enough to make the fixed costs vanish, little enough to stay cheap to hold. */
const FLUSH_BYTES = 4 * 2 ** 20;
/** Rows that do not fit are read early at first, so that what they teach about the shape helps the pages after them. */
const FIRST_LOOSE_BYTES = 64 * 2 ** 10;

/** Rows of one response: where they stand, and whether the bytes can become columns as they are. */
export interface PageOfRows extends RowRun {
  /** Every row fits {@link FrameBuilder.shape}. */
  readonly uniform: boolean;
}

/**
 * Turns pages of rows into a polars frame, from the bytes of the wire to typed columns.
 *
 * Pages whose rows fit the shape (declared members, and those learnt on the way) never become JavaScript values. Rows
 * that do not fit take the slow way and teach the shape. Any split into pages gives the frame of all rows at once.
 */
export class FrameBuilder {
  readonly #declared: ReadonlyMap<string, number>;
  #flags: ReadonlyMap<string, number>;
  #shape: RowShape;
  #chunks: Chunk[] = [];
  #rows = 0;
  /** Pages taken so far. */
  #pages = 0;
  /** Plain rows that wait, and where those of each page end. */
  readonly #lines = new LinesBuffer();
  #ends: number[] = [];
  /** Pages that wait for the slow way; plain ones between them wait here too. */
  #loose: PageOfRows[] = [];
  #looseBytes = 0;
  #looseLimit = FIRST_LOOSE_BYTES;
  /** The members of rows that took the slow way. */
  readonly #members: MemberTree;
  /** Rows and their bytes in all pages, those of earlier frames included. */
  #rowsSent = 0;
  #bytesSent = 0;

  /**
   * @param columns declared members with their flags, in the order of the columns
   * @param known the `flags` of a builder that has seen all rows: every frame then has the columns and types of the whole
   */
  constructor(columns: DeclaredColumns, known: ReadonlyMap<string, number> = new Map()) {
    this.#shape = declaredShape(columns);
    this.#declared = new Map(Object.entries(columns).map(([name, kind]) => [name, flagOf(kind)]));
    this.#flags = new Map([...this.#declared, ...known]);
    this.#members = new MemberTree(this.#declared);
  }

  /** The columns so far, in order, with the flags of value in them. */
  get flags(): ReadonlyMap<string, number> {
    return this.#flags;
  }

  /** What the next page is to be checked against. */
  get shape(): RowShape {
    return this.#shape;
  }

  /** Rows added since the last {@link take}, without those that could not be read. */
  get rows(): number {
    return this.#rows;
  }

  /** @throws BrokenPage where a page that was added turns out not to be JSON; the pages before it are kept */
  add(page: PageOfRows): void {
    this.#pages++;
    this.#rows += page.offsets.length / 2;
    this.#rowsSent += page.offsets.length / 2;
    this.#bytesSent += rowsBytes(page).length;
    if (page.uniform && this.#loose.length === 0) this.#addPlain(page);
    else this.#addLoose(page);
  }

  #addPlain(page: PageOfRows): void {
    const columns = this.#members.columns.length - this.#members.declared;
    try {
      this.#check({ rows: this.#rowsSent, columns, nameLength: 0 });
    } catch (cause) {
      this.#rows -= page.offsets.length / 2;
      throw new UnusablePageError(this.#pages - 1, cause);
    }
    if (this.#ends.length === 0) this.#lines.begin(templateOf(this.#shape));
    this.#lines.add(page);
    this.#ends.push(this.#lines.size);
    if (this.#lines.size >= FLUSH_BYTES) this.#flush();
  }

  #addLoose(page: PageOfRows): void {
    if (this.#ends.length > 0) this.#flush();
    this.#loose.push(page);
    this.#looseBytes += rowsBytes(page).length;
    if (this.#looseBytes >= this.#looseLimit) this.#flush();
  }

  /**
   * The frame of all rows added so far; the builder is empty afterwards and keeps what it learnt.
   *
   * @throws BrokenPage as `add` does; called again it gives the rows before that page
   */
  take(): PolarsFrame {
    return this.frameOf(this.drain());
  }

  /**
   * All rows added so far, before columns get their final types; the builder is empty afterwards and keeps what it learnt.
   *
   * @throws BrokenPage as `add` does; called again it gives the rows before that page
   */
  drain(): Chunk[] {
    this.#flush();
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#rows = 0;
    this.#flags = flagsOf(this.#flags, chunks);
    return chunks;
  }

  /** The frame of drained rows, with the columns and types that follow from all rows drained so far. */
  frameOf(chunks: readonly Chunk[]): PolarsFrame {
    return joinChunks(this.#flags, chunks.length > 0 ? chunks : [uniformChunk(this.#shape, templateOf(this.#shape))]);
  }

  #flush(): void {
    if (this.#ends.length > 0) this.#flushPlain();
    if (this.#loose.length > 0) this.#flushLoose();
  }

  #flushPlain(): void {
    const ends = this.#ends;
    this.#ends = [];
    try {
      this.#chunks.push(uniformChunk(this.#shape, this.#lines.lines()));
    } catch {
      // Broken UTF-8 and the like: the slow way reads them as every parser does, or says what is wrong.
      this.#readLoose(ends.map((end, at) => () => this.#lines.list(ends[at - 1] ?? 0, end)));
    }
  }

  #flushLoose(): void {
    const pages = this.#loose;
    this.#loose = [];
    this.#looseBytes = 0;
    this.#looseLimit = Math.min(2 * this.#looseLimit, FLUSH_BYTES);
    this.#readLoose(pages.map((page) => () => rowsJson(page)));
  }

  /** Reads pages the slow way, each given as JSON of the list of its rows. */
  #readLoose(pages: ReadonlyArray<() => string>): void {
    const loose = new IrregularRows(this.#members);
    let broken: UnusablePageError | undefined;
    for (const [at, list] of pages.entries()) {
      const { rows } = loose.size;
      try {
        loose.add(parseExact(list()) as object[]);
        this.#check({ ...loose.size, rows: this.#rowsSent });
      } catch (cause) {
        broken = new UnusablePageError(this.#pages - pages.length + at, cause);
        loose.keep(rows);
        this.#rows = rows + this.#chunks.reduce((sum, { frame }) => sum + frame.height, 0);
        break;
      }
    }
    const chunk = loose.chunk();
    this.#chunks.push(chunk);
    this.#learn(chunk);
    if (broken !== undefined) throw broken;
  }

  /** Whether what has been sent so far, over all frames, would make a large frame of nearly nothing. */
  #check(size: FrameSize): void {
    checkCells(size, this.#bytesSent);
  }

  /** Adds to the shape what a chunk had beyond it, so that the next pages like it are plain. */
  #learn(chunk: Chunk): void {
    const { names, types } = this.#shape;
    const members = new Map(names.map((name, at) => [name, types[at] as MemberType]));
    let news = false;
    for (const [name, column] of chunk.columns) {
      if (this.#declared.has(name) || !column.isMember) continue;
      const known = members.get(name);
      const kind = learnt(column.flags | (known === undefined ? 0 : flagOf(known)));
      if (kind === undefined || kind === known) continue;
      members.set(name, kind);
      news = true;
    }
    if (news) this.#shape = rowShape(members);
  }
}

function learnt(flags: number): MemberType | undefined {
  if (flags === 0) return "null";
  if ((flags & TypeFlags.list) !== 0) return undefined;
  const type = columnType(flags);
  return type === "list" ? undefined : type;
}
