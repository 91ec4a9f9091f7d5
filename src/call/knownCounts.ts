import type { ArchiveRequest } from "../service/operations/request.js";
import type { Count } from "./countOptions.js";

const MAX_COUNTS = 1000;

/** Parameters that do not change which rows a search has. */
const POSITION: ReadonlySet<string> = new Set(["limit", "page", "cursor"]);

/** The counts of a client: plans and progress of the same search say how many rows to expect. */
export class KnownCounts {
  readonly #counts = new Map<string, Count>();

  add(request: ArchiveRequest, count: Count): void {
    this.#counts.delete(keyOf(request));
    this.#counts.set(keyOf(request), count);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MAX_COUNTS && oldest !== undefined) this.#counts.delete(oldest);
  }

  /** The last count of a search; undefined if there was none, or if the request starts in its middle. */
  of(request: ArchiveRequest): Count | undefined {
    return request.query.some(([name]) => name === "page" || name === "cursor")
      ? undefined
      : this.#counts.get(keyOf(request));
  }
}

function keyOf({ path, query }: ArchiveRequest): string {
  const sorted = query.filter(([name]) => !POSITION.has(name)).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([path, sorted]);
}
