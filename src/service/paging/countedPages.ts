import type { Page } from "./page.js";

/** What a count keeps of a page. */
export interface CountedPage {
  readonly number: number;
  readonly rows: number;
  readonly cursor: string | undefined;
  /** The hash of each row. */
  readonly keys: readonly string[];
}

/**
 * The pages that a count has seen. A page by number is trusted if it is full and its rows are new: services that ignore
 * numbers, or stop at a certain number, repeat pages.
 */
export class CountedPages {
  /** Number of the page on which each row was seen first. */
  readonly #pageOf = new Map<string, number>();
  /** Trusted pages in ascending order. */
  readonly #trusted: CountedPage[] = [];
  /** Whether a page had some rows of another one: rows were added, or are equal. */
  hasMoved = false;

  open({ ids, tape, cursor }: Pick<Page, "ids" | "tape" | "cursor">, number: number): CountedPage {
    const keys = ids.map((_id, row) => `${tape.hashHigh(row)} ${tape.hashLow(row)}`);
    return { number, rows: keys.length, cursor, keys };
  }

  /** Number of the last trusted page. */
  get last(): number {
    return this.lastPage?.number ?? 0;
  }

  get lastPage(): CountedPage | undefined {
    return this.#trusted.at(-1);
  }

  /** Distinct rows on all pages so far, trusted or not. */
  get seen(): number {
    return this.#pageOf.size;
  }

  trust(page: CountedPage): void {
    this.remember(page);
    this.#trusted.push(page);
  }

  /** Remembers the rows of a page. */
  remember({ keys, number }: CountedPage): void {
    for (const key of keys) {
      if (this.#pageOf.has(key)) this.hasMoved = true;
      else this.#pageOf.set(key, number);
    }
  }

  /** Number of the page whose rows a page repeats; undefined if any of its rows is new. */
  repeated({ keys }: CountedPage): number | undefined {
    return keys.every((key) => this.#pageOf.has(key)) ? this.#pageOf.get(keys[0] as string) : undefined;
  }

  /**
   * Withdraws the trust in pages by number from a number on. Their rows stay known, so that they are never trusted under another
   * number.
   */
  distrust(from: number): void {
    while (this.last >= from && this.last > CURSOR_PAGES) this.#trusted.pop();
  }

  /** Whether the cursor of the last page is that of a page before it, which ends a pagination. */
  leadsBack(last: CountedPage): boolean {
    return this.#trusted.some((page) => page !== last && page.cursor === last.cursor);
  }

  /** Rows of the page after the last one that are on no trusted page. */
  newRows({ keys }: CountedPage, last: CountedPage): number {
    const known = new Set([...this.#trusted, last].flatMap((page) => page.keys));
    return keys.filter((key) => !known.has(key)).length;
  }

  /** Whether the page after the last one ends a pagination: it has no rows, or its cursor leads back. */
  isEnd({ rows, cursor }: CountedPage, last: CountedPage): boolean {
    return rows === 0 || cursor === undefined || [...this.#trusted, last].some((page) => page.cursor === cursor);
  }
}

/** Pages that came by cursor. Numbers have to agree with them. */
const CURSOR_PAGES = 2;
