import { CLOSE_OBJECT, COMMA, OPEN_LIST, OPEN_OBJECT, skipSpace, skipValue, stringEnd } from "./jsonBytes.js";
import { type RowPattern, rowPatterns } from "./rowPattern.js";
import type { RowShape } from "./rowShape.js";
import type { RowSlices } from "./rowSlices.js";

/** With more members than this, new ones are appended, because each insertion takes time in proportion to their number. */
const MAX_INSERTED = 256;

/** Values that are nested deeper are compared as spelled, because each level reads the bytes once more. */
const MAX_DEPTH = 16;

/** A member of an object in the bytes: its quoted name, and the offsets of its value without surrounding white space. */
interface Member {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The canonical order of members in the rows of a walk: the order of the first row, with further members inserted at their
 * first position. The bytes of a row in this order, without white space and nested values, are canonical; other rows are
 * rewritten. The order of two members never changes, so the canonical bytes of a row never change either.
 */
export class MemberOrder {
  readonly #names: string[] = [];
  readonly #ranks = new Map<string, number>();
  /** Whether the rows of each layout are in order. */
  readonly #patterns = new WeakMap<RowPattern, boolean>();

  /** Returns a function from row number to canonical bytes; undefined if the row is canonical in the page. Call it in order. */
  canonicalRows(
    page: RowSlices & { readonly unverified: readonly number[] },
    shape: RowShape,
  ): (at: number) => Buffer | undefined {
    const { bytes, offsets, unverified } = page;
    let next = 0;
    const isUnverified = (start: number) => {
      while (next < unverified.length && (unverified[next] as number) < start) next++;
      return unverified[next] === start;
    };
    let inOrder: boolean | undefined;
    return (at) => {
      const start = offsets[2 * at] as number;
      if (isUnverified(start)) return this.#canonical(bytes, start);
      // The row matched some layout, and it is not known which one, so all of them must be in order.
      inOrder ??= rowPatterns(shape).every((pattern) => this.#isPatternInOrder(pattern));
      return inOrder ? undefined : this.#canonical(bytes, start);
    };
  }

  #isPatternInOrder(pattern: RowPattern): boolean {
    const known = this.#patterns.get(pattern);
    if (known !== undefined) return known;
    const inOrder = this.#isInOrder(pattern.names);
    this.#patterns.set(pattern, inOrder);
    return inOrder;
  }

  #canonical(bytes: Buffer, start: number): Buffer | undefined {
    const { members, compact } = objectMembers(bytes, start);
    const names = members.map(({ name }) => name);
    const inOrder = this.#isInOrder(names);
    if (inOrder && compact && !members.some((member) => isNested(bytes, member))) return undefined;
    const sorted = inOrder ? members : members.toSorted((a, b) => this.#rank(a.name) - this.#rank(b.name));
    return Buffer.from(objectText(bytes, sorted, 0), "latin1");
  }

  /** Whether the names are in order. Inserts each new name after the name that precedes it. */
  #isInOrder(names: readonly string[]): boolean {
    let before = -1;
    let inOrder = true;
    for (const name of names) {
      const rank = this.#ranks.get(name) ?? this.#insert(name, before + 1);
      if (rank <= before) inOrder = false;
      before = rank;
    }
    return inOrder;
  }

  #insert(name: string, wanted: number): number {
    const at = this.#names.length < MAX_INSERTED ? wanted : this.#names.length;
    this.#names.splice(at, 0, name);
    for (let rank = at; rank < this.#names.length; rank++) this.#ranks.set(this.#names[rank] as string, rank);
    return at;
  }

  #rank(name: string): number {
    return this.#ranks.get(name) as number;
  }
}

function isNested(bytes: Buffer, { start }: Member): boolean {
  return bytes[start] === OPEN_OBJECT || bytes[start] === OPEN_LIST;
}

/** The members of the object that begins at `start`. Its bytes were scanned before. */
function objectMembers(bytes: Buffer, start: number): { members: Member[]; compact: boolean } {
  const members: Member[] = [];
  let compact = true;
  const skip = (p: number) => {
    const end = skipSpace(bytes, p);
    if (end !== p) compact = false;
    return end;
  };
  let p = skip(start + 1);
  while (bytes[p] !== CLOSE_OBJECT) {
    const nameEnd = stringEnd(bytes, p + 1) + 1;
    const value = skip(skip(nameEnd) + 1);
    const end = skipValue(bytes, value);
    members.push({ name: bytes.toString("latin1", p, nameEnd), start: value, end });
    p = skip(end);
    if (bytes[p] === COMMA) p = skip(p + 1);
  }
  return { members, compact };
}

function objectText(bytes: Buffer, members: readonly Member[], depth: number): string {
  return `{${members.map(({ name, start, end }) => `${name}:${valueText(bytes, start, end, depth + 1)}`).join(",")}}`;
}

/** A value in canonical form: scalars unchanged, the members of objects sorted by name. */
function valueText(bytes: Buffer, start: number, end: number, depth: number): string {
  const first = bytes[start];
  if (first === OPEN_OBJECT && depth < MAX_DEPTH) {
    const { members } = objectMembers(bytes, start);
    return objectText(bytes, members.sort(byName), depth);
  }
  if (first !== OPEN_LIST || depth >= MAX_DEPTH) return bytes.toString("latin1", start, end);
  const items: string[] = [];
  for (let p = skipSpace(bytes, start + 1); p < end - 1; ) {
    const itemEnd = skipValue(bytes, p);
    items.push(valueText(bytes, p, itemEnd, depth + 1));
    p = skipSpace(bytes, itemEnd);
    if (bytes[p] === COMMA) p = skipSpace(bytes, p + 1);
  }
  return `[${items.join(",")}]`;
}

function byName(a: Member, b: Member): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
