/** A sum, in all and by cluster. */
export class Tally {
  total = 0;
  /** How many rows contribute to it. */
  rows = 0;
  #lastRow = -1;
  /** Missing if rows come without clusters: a table of terms has millions of sums. */
  #clusters: Map<number, number> | undefined;

  /** @param row a number that is different for every row */
  add(amount: number, row: number, cluster: number | undefined): void {
    this.total += amount;
    if (row !== this.#lastRow) this.rows++;
    this.#lastRow = row;
    if (cluster === undefined) return;
    this.#clusters ??= new Map();
    this.#clusters.set(cluster, (this.#clusters.get(cluster) ?? 0) + amount);
  }

  /** The sum of each cluster. */
  byCluster(clusters: number): Float64Array {
    const sums = new Float64Array(clusters);
    for (const [cluster, amount] of this.#clusters ?? []) sums[cluster] = amount;
    return sums;
  }
}

/** What a group says: terms or patterns, and all speech that they are a part of. */
export class GroupTally {
  readonly all = new Tally();
  readonly #parts = new Map<string, Tally>();

  get parts(): ReadonlyMap<string, Tally> {
    return this.#parts;
  }

  add(part: string, row: number, cluster: number | undefined): void {
    let tally = this.#parts.get(part);
    if (tally === undefined) {
      tally = new Tally();
      // A word that was cut from a caption keeps the whole caption in memory: copy it.
      this.#parts.set(Buffer.from(part).toString(), tally);
    }
    tally.add(1, row, cluster);
  }

  /** What each cluster says of a part. */
  counts(part: string, clusters: number): Float64Array {
    return this.#parts.get(part)?.byCluster(clusters) ?? new Float64Array(clusters);
  }
}
