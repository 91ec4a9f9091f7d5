import { type MemberKind, type RowShape, rowShape } from "../service/pages/rowShape.js";
import { BrokenPage } from "./brokenPage.js";
import { type Chunk, looseChunk, plainChunk } from "./chunk.js";
import { parseExact } from "./exactJson.js";
import { joinChunks } from "./joinChunks.js";
import { columnType, Kind, kindOf } from "./kinds.js";
import type { RowRun } from "./ndjson.js";
import type { PolarsFrame } from "./polars.js";

/** Bytes that are read into columns in one go: enough to make the fixed costs vanish, little enough to stay cheap to hold. */
const FLUSH_BYTES = 8 * 2 ** 20;
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
  #shape: RowShape;
  #chunks: Chunk[] = [];
  #pending: PageOfRows[] = [];
  #pendingBytes = 0;
  #plain = true;
  #looseBytes = FIRST_LOOSE_BYTES;
  #rows = 0;
  #pages = 0;

  /** @param columns declared members with their kinds, in the order of the columns */
  constructor(columns: Iterable<readonly [string, MemberKind]>) {
    this.#shape = rowShape(columns);
    this.#declared = new Map(this.#shape.names.map((name, at) => [name, kindOf(this.#shape.kinds[at] as MemberKind)]));
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
    if (this.#plain && !page.plain) this.#flush();
    this.#plain &&= page.plain;
    this.#pending.push(page);
    this.#pendingBytes += (page.spans.at(-1) ?? 0) - (page.spans[0] ?? 0);
    this.#rows += page.spans.length / 2;
    if (this.#pendingBytes >= (this.#plain ? FLUSH_BYTES : this.#looseBytes)) this.#flush();
  }

  /**
   * The frame of all rows added so far; the builder is empty afterwards and keeps what it learnt.
   *
   * @throws BrokenPage as `add` does; called again it gives the rows before that page
   */
  take(): PolarsFrame {
    this.#flush();
    const chunks = this.#chunks.length > 0 ? this.#chunks : [plainChunk(this.#shape, [])];
    this.#chunks = [];
    this.#rows = 0;
    return joinChunks(this.#declared, chunks);
  }

  #flush(): void {
    const pages = this.#pending;
    if (pages.length === 0) return;
    const plain = this.#plain;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#plain = true;
    if (plain) {
      try {
        this.#chunks.push(plainChunk(this.#shape, pages));
        return;
      } catch {
        // Broken UTF-8 and the like: the slow way reads them as every parser does, or says what is wrong.
      }
    }
    this.#looseBytes = Math.min(2 * this.#looseBytes, FLUSH_BYTES);
    const rows: object[] = [];
    let broken: BrokenPage | undefined;
    for (const [at, page] of pages.entries()) {
      try {
        for (const row of parseRows(page)) rows.push(row);
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
    const members = new Map<string, MemberKind>(
      this.#shape.names.map((name, at) => [name, this.#shape.kinds[at] as MemberKind]),
    );
    for (const [name, { kinds }] of chunk.columns) {
      if (this.#declared.has(name)) continue;
      const known = members.get(name);
      const kind = learnt(kinds | (known === undefined ? 0 : kindOf(known)));
      if (kind !== undefined) members.set(name, kind);
    }
    this.#shape = rowShape(members);
  }
}

function learnt(kinds: number): MemberKind | undefined {
  if (kinds === 0) return "null";
  if ((kinds & Kind.list) !== 0) return undefined;
  const type = columnType(kinds);
  return type === "list" ? undefined : type;
}

function parseRows({ bytes, spans }: PageOfRows): object[] {
  const rows: string[] = [];
  for (let at = 0; at < spans.length; at += 2) rows.push(bytes.toString("utf8", spans[at], spans[at + 1]));
  return parseExact(`[${rows.join(",")}]`) as object[];
}
