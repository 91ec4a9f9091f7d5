import { ArchiveError } from "../errors/index.js";
import type { PolarsFrame } from "../frames/polars.js";
import { quoted } from "../util/quoted.js";
import { runPolars } from "./scanPlan.js";
import type { Verb } from "./verbs.js";

/** Verbs that run frame by frame. Their slices count rows across frames. */
export class Slices {
  readonly #left: ReadonlyArray<{ skip: number; keep: number }>;
  /** For each verb, the types of the columns that it has read. */
  readonly #types: ReadonlyArray<Map<string, string>>;

  constructor(readonly verbs: readonly Verb[]) {
    this.#left = verbs.map(({ slice }) => ({
      skip: slice?.offset ?? 0,
      keep: slice?.length ?? Number.POSITIVE_INFINITY,
    }));
    this.#types = verbs.map(() => new Map());
  }

  /** A slice is complete, so further frames cannot add a row. */
  get isFull(): boolean {
    return this.#left.some(({ keep }) => keep === 0);
  }

  /** @param mayWiden whether a column may have another type than in earlier frames, whose rows were not used yet */
  apply(frame: PolarsFrame, mayWiden = false): PolarsFrame {
    return this.verbs.reduce((rows, verb, at) => {
      if (!mayWiden) this.#checkTypes(rows, verb, at);
      if (verb.slice === undefined) return runPolars(() => verb.apply(rows.lazy()).collectSync());
      const left = this.#left[at] as { skip: number; keep: number };
      const skipped = Math.min(left.skip, rows.height);
      const kept = Math.min(left.keep, rows.height - skipped);
      left.skip -= skipped;
      left.keep -= kept;
      return rows.slice(skipped, kept);
    }, frame);
  }

  /** Rejects rows in which a column that a verb reads has another type than in earlier ones. */
  #checkTypes(rows: PolarsFrame, { reads = [] }: Verb, at: number): void {
    const types = this.#types[at] as Map<string, string>;
    const { columns } = rows;
    for (const name of reads.filter((each) => columns.includes(each))) {
      const type = rows.getColumn(name).dtype.variant;
      const before = types.get(name) ?? type;
      types.set(name, type);
      if (type === before) continue;
      throw new ArchiveError(
        `column ${quoted(name)} changed from ${before} to ${type} on a later page, but a verb had already used it.`,
        { code: "COLUMN_WIDENED", hint: "Use collect() or sink(), which apply verbs to the final types." },
      );
    }
  }
}
