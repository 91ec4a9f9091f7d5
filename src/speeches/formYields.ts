import type { SearchRun } from "./runSearches.js";

interface FormYield {
  searches: number;
  speeches: number;
}

/** Remembers, for one client, what each form of a title or number has found, so that a request budget goes to the best. */
export class FormYields {
  readonly #byForm = new Map<string, FormYield>();

  /** Adds the searches of a call: a form has found the speeches that no earlier search of its bill had found. */
  add(runs: readonly SearchRun[], newSpeeches: readonly number[]): void {
    runs.forEach(({ search: { form }, recorder }, at) => {
      if (recorder.pages === 0) return;
      const known = this.#byForm.get(form) ?? { searches: 0, speeches: 0 };
      known.searches++;
      known.speeches += newSpeeches[at] ?? 0;
      this.#byForm.set(form, known);
    });
  }

  of(form: string): Readonly<FormYield> | undefined {
    return this.#byForm.get(form);
  }

  /**
   * The order of forms: those that have found something, most per search first; then those never searched, in the usual
   * order; then those that found nothing. Titles and the number as it was typed come before all.
   */
  order(forms: readonly string[]): string[] {
    const rank = (form: string): number => {
      if (PINNED.has(form)) return Number.POSITIVE_INFINITY;
      const known = this.#byForm.get(form);
      return known === undefined ? 0 : known.speeches === 0 ? -1 : known.speeches / known.searches;
    };
    const ranked = [...new Set(forms)].map((form) => ({ form, rank: rank(form) }));
    return ranked.sort((a, b) => (a.rank === b.rank ? 0 : b.rank - a.rank)).map(({ form }) => form);
  }
}

const PINNED = new Set(["given", "title", "repaired title", "as typed"]);
