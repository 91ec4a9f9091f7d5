import type { Columns } from "../service/operations/operations.js";
import { declaredShape, type MemberKind, type RowShape, rowShape } from "../service/pages/rowShape.js";
import { BrokenPage } from "./brokenPage.js";
import { type Chunk, looseChunk, plainChunk } from "./chunk.js";
import { parseExact } from "./exactJson.js";
import { joinChunks, kindsOf } from "./joinChunks.js";
import { columnType, Kind, kindOf } from "./kinds.js";
import { LinesBuffer, type RowRun, templateOf } from "./ndjson.js";
import type { PolarsFrame } from "./polars.js";

/** Bytes that are read into columns in one go: enough to make the fixed costs vanish, little enough to stay cheap to hold. */
const FLUSH_BYTES = 4 * 2 ** 20;
/** Rows that do not fit are read early at first, so that what they teach about the shape helps the pages after them. */
const FIRST_LOOSE_BYTES = 64 * 2 ** 10;

/** Rows of one response: where they stand, and whether the bytes can become columns as they are. */
export interface PageOfRows extends RowRun {
  /** Every row fits {@link FrameBuilder.shape}. */
  readonly plain: boolean;
}

/**
 * Turns pages of rows into a polars frame, from the bytes of the wire to typed columns.
 *
 * Pages whose rows fit the shape (declared members, and those learnt on the way) never become JavaScript values. Rows
 * that do not fit take the slow way and teach the shape. Any split into pages gives the frame of all rows at once.
 */
export class FrameBuilder {
  readonly #declared: ReadonlyMap<string, number>;
  #kinds: ReadonlyMap<string, number>;
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

  /**
   * @param columns declared members with their kinds, in the order of the columns
   * @param known the `kinds` of a builder that has seen all rows: every frame then has the columns and types of the whole
   */
  constructor(columns: Columns, known: ReadonlyMap<string, number> = new Map()) {
    this.#shape = declaredShape(columns);
    this.#declared = new Map(Object.entries(columns).map(([name, kind]) => [name, kindOf(kind)]));
    this.#kinds = new Map([...this.#declared, ...known]);
  }

  /** The columns so far, in order, with the kinds of value in them. */
  get kinds(): ReadonlyMap<string, number> {
    return this.#kinds;
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
    this.#rows += page.spans.length / 2;
    if (page.plain && this.#loose.length === 0) this.#addPlain(page);
    else this.#addLoose(page);
  }

  #addPlain(page: PageOfRows): void {
    if (this.#ends.length === 0) this.#lines.begin(templateOf(this.#shape));
    this.#lines.add(page);
    this.#ends.push(this.#lines.size);
    if (this.#lines.size >= FLUSH_BYTES) this.#flush();
  }

  #addLoose(page: PageOfRows): void {
    if (this.#ends.length > 0) this.#flush();
    this.#loose.push(page);
    this.#looseBytes += (page.spans.at(-1) ?? 0) - (page.spans[0] ?? 0);
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
    this.#kinds = kindsOf(this.#kinds, chunks);
    return chunks;
  }

  /** The frame of drained rows, with the columns and types that follow from all rows drained so far. */
  frameOf(chunks: readonly Chunk[]): PolarsFrame {
    return joinChunks(this.#kinds, chunks.length > 0 ? chunks : [plainChunk(this.#shape, templateOf(this.#shape))]);
  }

  #flush(): void {
    if (this.#ends.length > 0) this.#flushPlain();
    if (this.#loose.length > 0) this.#flushLoose();
  }

  #flushPlain(): void {
    const ends = this.#ends;
    this.#ends = [];
    try {
      this.#chunks.push(plainChunk(this.#shape, this.#lines.lines()));
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
    const rows: object[] = [];
    let broken: BrokenPage | undefined;
    for (const [at, list] of pages.entries()) {
      try {
        for (const row of parseExact(list()) as object[]) rows.push(row);
      } catch (cause) {
        broken = new BrokenPage(this.#pages - pages.length + at, cause);
        this.#rows = rows.length + this.#chunks.reduce((sum, { frame }) => sum + frame.height, 0);
        break;
      }
    }
    const chunk = looseChunk(this.#members(), rows);
    this.#chunks.push(chunk);
    this.#learn(chunk);
    if (broken !== undefined) throw broken;
  }

  /** All members so far: a column that has come once is in every later frame. */
  #members(): Map<string, number> {
    const learnt = this.#shape.names.filter((name) => !this.#declared.has(name));
    return new Map([...this.#declared, ...learnt.map((name): [string, number] => [name, 0])]);
  }

  /** Adds to the shape what a chunk had beyond it, so that the next pages like it are plain. */
  #learn(chunk: Chunk): void {
    const { names, kinds } = this.#shape;
    const members = new Map(names.map((name, at) => [name, kinds[at] as MemberKind]));
    let news = false;
    for (const [name, column] of chunk.columns) {
      if (this.#declared.has(name)) continue;
      const known = members.get(name);
      const kind = learnt(column.kinds | (known === undefined ? 0 : kindOf(known)));
      if (kind === undefined || kind === known) continue;
      members.set(name, kind);
      news = true;
    }
    if (news) this.#shape = rowShape(members);
  }
}

function learnt(kinds: number): MemberKind | undefined {
  if (kinds === 0) return "null";
  if ((kinds & Kind.list) !== 0) return undefined;
  const type = columnType(kinds);
  return type === "list" ? undefined : type;
}

/** JSON of the list of a page's rows. */
function rowsJson({ bytes, spans }: PageOfRows): string {
  const rows: string[] = [];
  for (let at = 0; at < spans.length; at += 2) rows.push(bytes.toString("utf8", spans[at], spans[at + 1]));
  return `[${rows.join(",")}]`;
}
