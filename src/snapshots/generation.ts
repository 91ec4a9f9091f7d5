import type { GivenUp, StoredAnswer } from "./indexLine.js";

/** An answer with its place in a generation. */
interface Placed {
  readonly answer: StoredAnswer;
  /** Rises with each walk that added answers. */
  readonly order: number;
}

/** One retrieval of a search: the pages that a walk requested one after the other, and the walks that went on where it had stopped. */
export class Generation {
  /** When its first answer came, and the request that it answers. */
  begunAt = "";
  start = "";
  /** The walks that came to an end without an error: how many rows came, by how many were wanted. `Infinity` for all. */
  readonly finished = new Map<number, number>();
  /** The number of the last walk that has added answers. */
  part = 0;
  readonly givenUp = new Map<string, GivenUp>();
  readonly #answers = new Map<string, Placed[]>();

  /**
   * @param id undefined for the answers of one client to one search, where nobody has noted which belong together
   * @param own begun by this client
   */
  constructor(
    readonly id: string | undefined,
    readonly search: string,
    readonly own: boolean,
  ) {}

  /** Which answers belong together was noted when they came. */
  get noted(): boolean {
    return this.id !== undefined;
  }

  /** @param file number of the index: two clients that went on at once have the same part */
  add(answer: StoredAnswer, file: number): void {
    const { get, receivedAt, part = 1 } = answer;
    const placed = { answer, order: firstOrder(part) + file };
    this.part = Math.max(this.part, part);
    const known = this.#answers.get(get);
    if (known === undefined) this.#answers.set(get, [placed]);
    else known.push(placed);
    if (this.start !== "" && this.begunAt <= receivedAt) return;
    this.begunAt = receivedAt;
    this.start = get;
  }

  has(get: string): boolean {
    return this.#answers.has(get);
  }

  /**
   * The earliest answer to a request that is not from before `order`: of one walk the newest. A walk that has used an answer of a later
   * part never uses one of an earlier part again, since rows may have moved between the pages meanwhile.
   */
  find(get: string, order = 0): Placed | undefined {
    const later = (this.#answers.get(get) ?? []).filter((placed) => placed.order >= order);
    return later.reduce<Placed | undefined>(
      (best, placed) => (best === undefined || placed.order <= best.order ? placed : best),
      undefined,
    );
  }

  /** Where a walk that has used some answers stands here; undefined where the same requests were not answered with the same bodies. */
  orderAfter(used: readonly StoredAnswer[]): number | undefined {
    let order = 0;
    for (const { get, sha256 } of used) {
      const placed = this.find(get, order);
      if (placed?.answer.sha256 !== sha256) return undefined;
      order = placed.order;
    }
    return order;
  }

  /** Whether a walk for as many rows has come to its end. */
  brings(rows: number): boolean {
    return [...this.finished.values()].some((came) => came >= rows);
  }

  /** The newest answer to a request. */
  newest(get: string): StoredAnswer | undefined {
    const all = (this.#answers.get(get) ?? []).map(({ answer }) => answer);
    return all.reduce<StoredAnswer | undefined>(later, undefined);
  }

  /** Of each request the newest answer. */
  get answers(): StoredAnswer[] {
    return [...this.#answers.keys()].map((get) => this.newest(get) as StoredAnswer);
  }
}

const MAX_FILES = 2 ** 24;

/** The order of the first answers of a part. */
export function firstOrder(part: number): number {
  return part * MAX_FILES;
}

/** The newer of two answers. */
export function later(known: StoredAnswer | undefined, answer: StoredAnswer): StoredAnswer {
  return known === undefined || known.receivedAt <= answer.receivedAt ? answer : known;
}
