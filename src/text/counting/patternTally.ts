import type { Captions } from "../captions.js";
import type { CompiledPattern } from "../pattern.js";

/** Counts the matches of patterns by group. */
export class PatternTally {
  readonly #patterns: readonly CompiledPattern[];
  readonly #onceEach: boolean;
  readonly #counts: number[][];

  /** @param onceEach count a caption once, however often it matches */
  constructor(patterns: readonly CompiledPattern[], onceEach: boolean) {
    this.#patterns = patterns;
    this.#onceEach = onceEach;
    this.#counts = patterns.map(() => []);
  }

  /** Adds captions with their groups. */
  add(captions: Captions, groups: readonly number[]): void {
    this.#patterns.forEach(({ find }, pattern) => {
      const counts = this.#counts[pattern] as number[];
      let last = -1;
      find(captions, (caption) => {
        if (this.#onceEach && caption === last) return;
        last = caption;
        const group = groups[caption] as number;
        counts[group] = (counts[group] ?? 0) + 1;
      });
    });
  }

  /** The count of a pattern, by its index, in a group. */
  count(group: number, pattern: number): number {
    return this.#counts[pattern]?.[group] ?? 0;
  }
}
