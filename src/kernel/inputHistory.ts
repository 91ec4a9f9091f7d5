import type { Content } from "./protocol/message.js";

/** One input: session, execution count and code, as the protocol sends it. */
export type HistoryEntry = readonly [session: number, line: number, code: string];

/** Number of inputs kept. */
const MAX_INPUTS = 1000;

/** The inputs of this session, for the history of a console. Nothing is stored. */
export class InputHistory {
  #entries: HistoryEntry[] = [];

  add(count: number, code: string): void {
    this.#entries = [...this.#entries, [0, count, code] as const].slice(-MAX_INPUTS);
  }

  /** The entries that a `history_request` selects: the last ones, a range, or those that contain a text. */
  select({ hist_access_type, n, start, stop, pattern }: Content): HistoryEntry[] {
    const last = (entries: HistoryEntry[]) =>
      typeof n === "number" ? entries.slice(Math.max(0, entries.length - n)) : entries;
    if (hist_access_type === "range") {
      const [from, to] = [Number(start ?? 0), Number(stop ?? Number.POSITIVE_INFINITY)];
      return this.#entries.filter(([, line]) => line >= from && line < to);
    }
    if (hist_access_type !== "search") return last(this.#entries);
    const parts = String(pattern ?? "*").split("*");
    return last(this.#entries.filter(([, , code]) => parts.every((part) => code.includes(part))));
  }
}
