/** A sum, in total and by cluster. */
class Tally {
  total = 0;
  /** The number of rows that contribute to it. */
  rows = 0;
  #lastRow = -1;
  /** Undefined without clusters, because a table of terms has millions of sums. */
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

/** The sums of a group: of each term or pattern, and of all speech. */
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
      // Copied, because a slice of a caption keeps the whole caption in memory.
      this.#parts.set(Buffer.from(part).toString(), tally);
    }
    tally.add(1, row, cluster);
  }

  /** The sums of a part by cluster. */
  counts(part: string, clusters: number): Float64Array {
    return this.#parts.get(part)?.byCluster(clusters) ?? new Float64Array(clusters);
  }
}
