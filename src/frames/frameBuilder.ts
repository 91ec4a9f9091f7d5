import type { ArchiveError } from "../errors/index.js";
import {
  declaredSchema,
  type MemberType,
  type RowSchema,
  rowSchema,
  rowsBytes,
  rowsJson,
  type ScannedRows,
} from "../pages/rows.js";
import type { DeclaredColumns } from "../service/operations/columns.js";
import { type Chunk, chunkOf, flagsOf, joinChunks, schemaColumns } from "./chunk.js";
import { columnType, flagOf, TypeFlags } from "./dtypes.js";
import { parseExact } from "./exactJson.js";
import { IrregularRows } from "./irregularRows.js";
import type { PolarsFrame } from "./polars.js";

/** Bytes of rows to collect before they become columns: enough to amortize the fixed costs, small enough to hold in memory. */
const FLUSH_BYTES = 2 ** 19;

/** A page that gives the frame too many columns. The cause is the error for the user. */
export class UnusablePageError extends Error {
  declare readonly cause: ArchiveError;

  /**
   * @param pages the number of pages before it
   * @param rows the number of rows of those pages
   */
  constructor(
    readonly pages: number,
    readonly rows: number,
    cause: ArchiveError,
  ) {
    super("a page cannot be used", { cause });
  }
}

/**
 * Turns pages of rows, as received bytes, into a polars frame with typed columns. Uniform pages, whose rows fit the schema (the declared
 * members and those of earlier pages), never become JavaScript values. All others are parsed, and extend the schema. The result does not
 * depend on how the rows were split into pages.
 */
export class FrameBuilder {
  /** The schema to check the next page against. */
  schema: RowSchema;
  /** The columns so far, in order, with the type flags of their values. */
  flags: ReadonlyMap<string, number>;
  /** Rows added since the last {@link take}. */
  rows = 0;
  #chunks: Chunk[] = [];
  #pages = 0;
  /** Pages of one schema that are not in a chunk yet. */
  #uniformPages: ScannedRows[] = [];
  /** Bytes of the rows that are not in a chunk yet. */
  #bytes = 0;
  #irregular: IrregularRows | undefined;
  /** Rows of all pages, including those of earlier frames. */
  #rowsReceived = 0;

  /** @param columns the declared members and their types, in column order */
  constructor(readonly columns: DeclaredColumns) {
    this.schema = declaredSchema(columns);
    this.flags = flagsOf(new Map(), [schemaColumns(this.schema)]);
  }

  /** @throws UnusablePageError if the page gives the frame too many columns; earlier pages remain */
  add(page: ScannedRows): void {
    const { records } = page;
    const bytes = rowsBytes(page).length;
    this.#rowsReceived += records.rows;
    if (records.isUniform) {
      if (records.schema !== this.#uniformPages[0]?.records.schema || this.#irregular?.count) this.#flush();
      if (records.rows > 0) this.#uniformPages.push(page);
    } else this.#addIrregular(page);
    this.#pages++;
    this.rows += records.rows;
    this.#bytes += bytes;
    if (this.#bytes >= FLUSH_BYTES) this.#flush();
  }

  #addIrregular(page: ScannedRows): void {
    if (this.#uniformPages.length > 0) this.#flush();
    this.#irregular ??= new IrregularRows(flagsOf(new Map(), [schemaColumns(declaredSchema(this.columns))]));
    const rows = parseExact(rowsJson(page)) as object[];
    try {
      this.#irregular.add(rows);
    } catch (cause) {
      throw new UnusablePageError(this.#pages, this.#rowsReceived - rows.length, cause as ArchiveError);
    }
    this.#extendSchema(this.#irregular);
  }

  /** Returns the frame of all rows added so far and empties the builder, which remembers its columns and schema. */
  take(): PolarsFrame {
    const chunks = this.drain();
    // Pages of the declared schema already have the final types.
    return chunks.length === 1 && this.#irregular === undefined ? (chunks[0] as Chunk).frame : this.frameOf(chunks);
  }

  /** Returns all rows added so far, without final column types, and empties the builder, which remembers its columns and schema. */
  drain(): Chunk[] {
    this.#flush();
    const chunks = this.#chunks;
    this.#chunks = [];
    this.rows = 0;
    this.flags = flagsOf(this.flags, chunks);
    return chunks;
  }

  /** Builds the frame of drained chunks; its columns and types follow from all rows drained so far. */
  frameOf(chunks: readonly Chunk[]): PolarsFrame {
    return joinChunks(this.flags, chunks);
  }

  #flush(): void {
    if (this.#uniformPages.length > 0) this.#chunks.push(chunkOf(this.#uniformPages));
    if (this.#irregular?.count) this.#chunks.push(this.#irregular.take());
    this.#uniformPages = [];
    this.#bytes = 0;
  }

  /** Extends the schema with the members and types of irregular rows, so that later rows like them are uniform. */
  #extendSchema({ columns }: IrregularRows): void {
    const { names, types } = this.schema;
    const members = new Map(names.map((name, at) => [name, types[at] as MemberType]));
    let hasChanged = false;
    for (const [name, { declared, flags }] of columns) {
      if (declared !== 0) continue;
      const oldType = members.get(name);
      const type = memberType(flags | (oldType === undefined ? 0 : flagOf(oldType)));
      if (type === undefined || type === oldType) continue;
      members.set(name, type);
      hasChanged = true;
    }
    if (hasChanged) this.schema = rowSchema(members);
  }
}

/** The member type that the page scanner should expect; undefined if no type fits all values. */
function memberType(flags: number): MemberType | undefined {
  if (flags === 0) return "null";
  const type = columnType(flags);
  return type === "list" || (flags & TypeFlags.list) !== 0 ? undefined : type;
}
