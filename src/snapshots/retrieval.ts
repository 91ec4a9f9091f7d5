import type { AbandonedRequest, StoredResponse } from "./indexLine.js";

/** A response and its position in a retrieval. */
interface PlacedResponse {
  readonly response: StoredResponse;
  /** Increases with each walk that added responses. */
  readonly order: number;
}

/** One retrieval of a search: the pages that one walk requested in order, and those of later walks that resumed it. */
export class Retrieval {
  /** When the first response arrived, and its request. */
  begunAt = "";
  firstRequest = "";
  /** Walks that ended without an error: rows received, by rows wanted. `Infinity` means all. */
  readonly finished = new Map<number, number>();
  /** Number of the last walk that added responses. */
  part = 0;
  readonly abandoned = new Map<string, AbandonedRequest>();
  readonly #responses = new Map<string, PlacedResponse[]>();

  /**
   * @param id undefined for format 1, which groups the responses of one client to one search
   * @param own whether this client started it
   */
  constructor(
    readonly id: string | undefined,
    readonly search: string,
    readonly own: boolean,
  ) {}

  /** Whether the index records which responses belong together (format 2). */
  get hasId(): boolean {
    return this.id !== undefined;
  }

  /** @param file number of the index: two clients that resume concurrently write the same part */
  add(response: StoredResponse, file: number): void {
    const { get, receivedAt, part = 1 } = response;
    const placed = { response, order: firstOrder(part) + file };
    this.part = Math.max(this.part, part);
    const known = this.#responses.get(get);
    if (known === undefined) this.#responses.set(get, [placed]);
    else known.push(placed);
    if (this.firstRequest !== "" && this.begunAt <= receivedAt) return;
    this.begunAt = receivedAt;
    this.firstRequest = get;
  }

  has(get: string): boolean {
    return this.#responses.has(get);
  }

  /**
   * The earliest response to a request at or after `order`; the newest one if a walk stored several. A walk that used a response of a
   * later part never uses an earlier part again, because rows may have moved between pages in the meantime.
   */
  find(get: string, order = 0): PlacedResponse | undefined {
    const candidates = (this.#responses.get(get) ?? []).filter((placed) => placed.order >= order);
    return candidates.reduce<PlacedResponse | undefined>(
      (best, placed) => (best === undefined || placed.order <= best.order ? placed : best),
      undefined,
    );
  }

  /** The position after the responses that a walk has used; undefined if this retrieval has other bodies for the same requests. */
  orderAfter(used: readonly StoredResponse[]): number | undefined {
    let order = 0;
    for (const { get, sha256 } of used) {
      const placed = this.find(get, order);
      if (placed?.response.sha256 !== sha256) return undefined;
      order = placed.order;
    }
    return order;
  }

  /** Whether a walk for at least this many rows reached its end. */
  covers(rows: number): boolean {
    return [...this.finished.values()].some((came) => came >= rows);
  }

  /** The newest response to a request. */
  newest(get: string): StoredResponse | undefined {
    const all = (this.#responses.get(get) ?? []).map(({ response }) => response);
    return all.reduce<StoredResponse | undefined>(newerOf, undefined);
  }

  /** The newest response to each request. */
  get responses(): StoredResponse[] {
    return [...this.#responses.keys()].map((get) => this.newest(get) as StoredResponse);
  }
}

const MAX_FILES = 2 ** 24;

/** The order of the first responses in a part. */
export function firstOrder(part: number): number {
  return part * MAX_FILES;
}

/** The newer of two responses. */
export function newerOf(known: StoredResponse | undefined, response: StoredResponse): StoredResponse {
  return known === undefined || known.receivedAt <= response.receivedAt ? response : known;
}
