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
import { checkCells, UnusablePageError } from "./cellLimit.js";
import { type Chunk, type ChunkColumn, chunkOf, flagsOf, joinChunks } from "./chunk.js";
import { warnOfNames } from "./columnName.js";
import { parseExact } from "./exactJson.js";
import { type IrregularColumn, IrregularRows, storedType } from "./irregularRows.js";
import { MemberTree } from "./memberTree.js";
import type { PolarsFrame } from "./polars.js";
import { columnType, flagOf, TypeFlags } from "./typeFlags.js";

/** Bytes of rows to collect before they become columns: enough to amortize the fixed costs, small enough to hold in memory. */
const FLUSH_BYTES = 4 * 2 ** 20;
/** A page of this size is not worth collecting: its rows become columns at once, without being copied. */
const LARGE_PAGE_BYTES = 2 ** 18;
/** After the first irregular rows, the shape is extended again after this many bytes of them, then after twice as many, … */
const FIRST_IRREGULAR_BYTES = 64 * 2 ** 10;

/** Bytes that are collected at most. */
const MAX_BYTES = FLUSH_BYTES + LARGE_PAGE_BYTES;

/** Consecutive irregular rows. */
interface IrregularRun {
  readonly from: number;
  readonly rows: number;
}

/**
 * Turns pages of rows, as received bytes, into a polars frame with typed columns.
 *
 * Rows that fit the shape (the declared members and those seen since) never become JavaScript values. Each of the others takes the
 * slow way on its own, and extends the shape. The result does not depend on how the rows were split into pages.
 */
export class FrameBuilder {
  readonly #declared: ReadonlyMap<string, number>;
  #flags: ReadonlyMap<string, number>;
  #shape: RowShape;
  #chunks: Chunk[] = [];
  #rows = 0;
  /** Pages added so far. */
  #pages = 0;
  /** Rows that are not in a chunk yet, in order, and their bytes. */
  #runs: Array<RowRun | IrregularRun> = [];
  #bytes = Buffer.alloc(0);
  #size = 0;
  #irregular: IrregularRows;
  /** The names of the shape when the first of these rows came. */
  #known: ReadonlySet<string>;
  /** Bytes of irregular rows since the shape was extended, and how many there may be. */
  #unlearnt = 0;
  #learnLimit = 0;
  /** The members of all irregular rows. */
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
    this.#irregular = new IrregularRows(this.#members);
    this.#known = new Set(this.#shape.names);
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
    const { rows } = page.tape;
    const bytes = rowsBytes(page);
    this.#pages++;
    this.#rowsReceived += rows;
    this.#bytesReceived += bytes.length;
    if (bytes.length >= LARGE_PAGE_BYTES) this.#flush();
    const isLarge = bytes.length >= LARGE_PAGE_BYTES && page.tape.shape === this.#shape && page.tape.isUniform;
    const runs = this.#runsOf(page);
    this.#rows += rows;
    if (isLarge) {
      this.#chunks.push(chunkOf(this.#columns(), [{ tape: page.tape, from: 0, rows, base: 0 }], page.bytes));
      return;
    }
    for (const run of runs) this.#runs.push(run);
    this.#append(bytes);
    if (this.#size >= FLUSH_BYTES) this.#flush();
  }

  /** The rows of a page as runs; the irregular ones are read. */
  #runsOf(page: ScannedRows): Array<RowRun | IrregularRun> {
    const { tape, offsets } = page;
    const irregular = this.#irregular;
    const before = irregular.rows;
    const runs: Array<RowRun | IrregularRun> = [];
    const base = this.#size - (offsets[0] ?? 0);
    let irregularBytes = 0;
    for (let row = 0; row < tape.rows; ) {
      const from = row;
      const isRegular = tape.isRegular(row);
      do {
        if (!isRegular) {
          irregular.add(parseExact(rowText(page, row)) as object);
          irregularBytes += tape.end(row) - tape.start(row);
        }
        row++;
      } while (row < tape.rows && tape.isRegular(row) === isRegular);
      if (isRegular) runs.push({ tape, from, rows: row - from, base });
      else runs.push({ from: irregular.rows - (row - from), rows: row - from });
    }
    try {
      checkCells({ ...irregular.size, rows: this.#rowsReceived }, this.#bytesReceived);
    } catch (cause) {
      irregular.truncate(before);
      throw new UnusablePageError(this.#pages - 1, cause as ArchiveError);
    }
    this.#unlearnt += irregularBytes;
    if (this.#unlearnt > this.#learnLimit) {
      this.#learnLimit = Math.min(Math.max(FIRST_IRREGULAR_BYTES, 2 * this.#learnLimit), FLUSH_BYTES);
      this.#extendShape();
    }
    return runs;
  }

  /** Copies the bytes of rows: the body may be reused when the page has been added. */
  #append(bytes: Buffer): void {
    const end = this.#size + bytes.length;
    if (end > this.#bytes.length) {
      // Memory that is never written to costs nothing; copying what was collected does.
      const larger = Buffer.allocUnsafe(this.#size === 0 ? end : Math.max(end, Math.min(4 * end, MAX_BYTES)));
      this.#bytes.copy(larger, 0, 0, this.#size);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, this.#size);
    this.#size = end;
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
    if (chunks.length > 0) return joinChunks(this.#flags, chunks);
    return joinChunks(this.#flags, [chunkOf(this.#columns(), [], Buffer.alloc(0))]);
  }

  #flush(): void {
    if (this.#runs.length === 0) return;
    if (this.#unlearnt > 0) this.#extendShape();
    this.#reread(this.#columns());
    const columns = this.#columns();
    let runs = this.#runs as RowRun[];
    if (this.#irregular.rows > 0) {
      const { bytes, tape } = this.#irregular.scan(
        [...columns.values()].flatMap(({ irregular, stored }) =>
          irregular === undefined ? [] : [{ ...irregular, stored }],
        ),
      );
      const base = this.#size;
      this.#append(bytes);
      runs = this.#runs.map((run) => ("tape" in run ? run : { ...run, tape, base }));
      warnOfNames(this.#irregular.columns());
    }
    this.#chunks.push(chunkOf(columns, runs, this.#bytes.subarray(0, this.#size)));
    this.#runs = [];
    this.#size = 0;
    this.#irregular = new IrregularRows(this.#members);
    this.#known = new Set(this.#shape.names);
  }

  /** The columns of the next chunk, with types that hold all of its values. */
  #columns(): Map<string, PendingColumn> {
    const { names, types } = this.#shape;
    const columns = new Map(names.map((name, at) => [name, shapeColumn(types[at] as MemberType)]));
    if (this.#irregular.rows === 0) return columns;
    for (const irregular of this.#irregular.columns()) {
      const flags = irregular.flags | (columns.get(irregular.name)?.flags ?? 0);
      const stored = storedType({ ...irregular, flags }, irregular.declared);
      // A member learnt from these rows moves to its place among their columns.
      if (!this.#known.has(irregular.name)) columns.delete(irregular.name);
      columns.set(irregular.name, { flags, stored, isMember: irregular.isMember, irregular });
    }
    return columns;
  }

  /** Takes rows the slow way after all if they have floats for a column of text: only JavaScript writes them as we want them. */
  #reread(columns: ReadonlyMap<string, PendingColumn>): void {
    const isText = (name: string) => columns.get(name)?.stored === "string";
    this.#runs = this.#runs.map((run) => {
      if (!("tape" in run)) return run;
      const { tape, from, rows, base } = run;
      const { names, types } = tape.shape;
      if (!names.some((name, at) => types[at] === "float" && isText(name))) return run;
      const before = this.#irregular.rows;
      for (let row = from; row < from + rows; row++) {
        const text = this.#bytes.toString("utf8", base + tape.start(row), base + tape.end(row));
        this.#irregular.add(parseExact(text) as object);
      }
      return { from: before, rows };
    });
  }

  /** Extends the shape with the members and types of irregular rows, so that later rows like them are regular. */
  #extendShape(): void {
    this.#unlearnt = 0;
    const { names, types } = this.#shape;
    const members = new Map(names.map((name, at) => [name, types[at] as MemberType]));
    let changed = false;
    for (const { name, declared, isMember, flags } of this.#irregular.columns()) {
      if (declared !== 0 || this.#declared.has(name) || !isMember) continue;
      const known = members.get(name);
      const type = memberType(flags | (known === undefined ? 0 : flagOf(known)));
      if (type === undefined || type === known) continue;
      members.set(name, type);
      changed = true;
    }
    if (changed) this.#shape = rowShape(members);
  }
}

/** A column of the next chunk, and its values in irregular rows. */
interface PendingColumn extends ChunkColumn {
  readonly irregular?: IrregularColumn;
}

function shapeColumn(type: MemberType): PendingColumn {
  return { flags: flagOf(type), stored: type === "null" ? "string" : type, isMember: true };
}

/** The member type to scan for; `undefined` if the values do not fit any. */
function memberType(flags: number): MemberType | undefined {
  if (flags === 0) return "null";
  if ((flags & TypeFlags.list) !== 0) return undefined;
  const type = columnType(flags);
  return type === "list" ? undefined : type;
}
