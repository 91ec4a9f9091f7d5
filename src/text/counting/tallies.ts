import type { PolarsFrame } from "../../frames/polars.js";
import type { Captions } from "../captions.js";
import type { CompiledPattern } from "../pattern.js";
import { textsOf } from "../source/columns.js";
import { BREAK, spokenTokens } from "../tokens.js";

export class PatternTally {
  readonly #counts: number[][];

  /** @param onceEach count a caption once, however often it matches */
  constructor(
    private readonly patterns: readonly CompiledPattern[],
    private readonly onceEach: boolean,
  ) {
    this.#counts = patterns.map(() => []);
  }

  /** Adds captions with their groups; those without a group do not count. */
  add(captions: Captions, groups: readonly (number | null)[]): void {
    this.patterns.forEach(({ find }, pattern) => {
      const counts = this.#counts[pattern] as number[];
      let last = -1;
      find(captions, (caption) => {
        if (this.onceEach && caption === last) return;
        last = caption;
        const group = groups[caption] ?? null;
        if (group === null) return;
        counts[group] = (counts[group] ?? 0) + 1;
      });
    });
  }

  /** The count of a pattern, by its index, in a group. */
  count(group: number, pattern: number): number {
    return this.#counts[pattern]?.[group] ?? 0;
  }
}

/** A number of words, an hour of speech, or a mention. */
export type Per = number | "hour" | "mention";

const SECONDS_PER_HOUR = 3600;

/** How much was said, by group: words, hours or mentions. */
export class Denominators {
  readonly #sums: number[] = [];

  constructor(private readonly per: Per) {}

  /**
   * Adds rows with their groups; those without one do not count.
   *
   * @param lengths the seconds of every row that counts, for hours
   */
  add(captions: Captions, groups: readonly (number | null)[], lengths?: readonly (number | null)[]): void {
    const words = typeof this.per === "number" ? captions.spoken : undefined;
    groups.forEach((group, row) => {
      if (group === null) return;
      const amount = lengths ? (lengths[row] as number) : words ? wordCount(words[row] ?? "") : 1;
      this.#sums[group] = (this.#sums[group] ?? 0) + amount;
    });
  }

  /** The sum of a group; 0 if it has no rows. */
  of(group: number): number {
    const sum = this.#sums[group] ?? 0;
    // Seconds are whole numbers, so the sum does not depend on their order.
    return this.per === "hour" ? sum / SECONDS_PER_HOUR : sum;
  }
}

/** The seconds of every row; null for one without, and where a frame has none. */
export function lengthsOf(frame: PolarsFrame): readonly (number | null)[] {
  return textsOf(frame, "length").map((text) =>
    text === null || !Number.isFinite(Number(text)) ? null : Number(text),
  );
}

function wordCount(spoken: string): number {
  let count = 0;
  for (const token of spokenTokens(spoken)) if (token !== BREAK) count++;
  return count;
}
