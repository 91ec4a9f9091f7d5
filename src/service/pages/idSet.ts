/**
 * A set of row ids. Whole numbers lie in an open hash table of 16 bytes each at most: a harvest of a million rows
 * remembers all of them in a few megabytes, where a `Set` takes ten times that.
 */
export class IdSet {
  #table = new Float64Array(1024).fill(-1);
  #numbers = 0;
  readonly #texts = new Set<string>();

  /** Adds an id; false where it was there already. */
  add(id: number | string): boolean {
    if (typeof id === "string") {
      const { size } = this.#texts;
      return this.#texts.add(id).size > size;
    }
    if (2 * (this.#numbers + 1) > this.#table.length) this.#grow();
    if (!insert(this.#table, id)) return false;
    this.#numbers++;
    return true;
  }

  #grow(): void {
    const table = new Float64Array(2 * this.#table.length).fill(-1);
    for (const id of this.#table) if (id >= 0) insert(table, id);
    this.#table = table;
  }
}

/** Ids are whole numbers from 0, so -1 marks a free place. */
function insert(table: Float64Array, id: number): boolean {
  const mask = table.length - 1;
  // Ids often follow each other; the multiplier spreads them.
  let at = Math.imul((id ^ (id / 4294967296)) | 0, 0x9e3779b1) >>> 0;
  for (at &= mask; table[at] !== -1; at = (at + 1) & mask) if (table[at] === id) return false;
  table[at] = id;
  return true;
}
