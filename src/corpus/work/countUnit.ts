import type { ClientContext } from "../../call/clientContext.js";
import { withJournal } from "../../responses/journal.js";
import type { RequestBudget, Requester } from "../../service/http/requester.js";
import { countRows, type RowCount } from "../../service/paging/countRows.js";
import type { ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";
import type { Unit } from "../definition/units.js";
import { openJournal } from "./openJournal.js";
import { searchOf } from "./searchOf.js";
import type { WorkDirectory } from "./workDirectory.js";

/** What a unit will take. */
export interface UnitCount extends RowCount {
  /** Requests that a build still has to send. */
  readonly requests: number;
}

/** What a count needs besides the unit. */
export interface CountOptions {
  readonly recorder: ProvenanceRecorder;
  readonly budget: RequestBudget | undefined;
  readonly signal: AbortSignal;
  readonly onPage: () => void;
}

/**
 * Counts the rows of a unit. The responses go into its journal, so that a build does not ask for these pages again.
 *
 * @throws ArchiveError if a request fails
 */
export async function countUnit(
  client: ClientContext,
  work: WorkDirectory,
  unit: Unit,
  options: CountOptions,
): Promise<UnitCount> {
  const staging = work.stage(unit.name);
  try {
    const journal = openJournal(staging.journal, searchOf(client, unit));
    try {
      const pages = new RequestedPages(withJournal(client.requester, journal, staging.target));
      const { pageSize } = client.output;
      const count = await countRows(unit.request, { ...options, requester: pages, redact: client.redact, pageSize });
      return { ...count, requests: pages.missing(count, pageSize) };
    } finally {
      journal.close();
    }
  } catch (error) {
    throw staging.toError(error);
  } finally {
    staging.release();
  }
}

/** Records which pages a count has requested. */
class RequestedPages implements Requester {
  #byCursor = 0;
  readonly #numbers = new Set<number>();

  constructor(readonly requester: Requester) {}

  async request(...args: Parameters<Requester["request"]>): ReturnType<Requester["request"]> {
    const response = await this.requester.request(...args);
    const query = new Map(args[1]);
    if (query.has("cursor")) this.#byCursor++;
    else if (query.has("page")) this.#numbers.add(Number(query.get("page")));
    return response;
  }

  /** Requests of a pagination for pages that the count has not requested. A pagination ends with a page that confirms the end. */
  missing({ rows, verdict }: RowCount, size: number): number {
    const last = Math.ceil(rows / size);
    const numbered = [...this.#numbers].filter((number) => number > 2 && number <= last).length;
    // The first page, and those by cursor: the second one, and perhaps the end.
    const known = 1 + this.#byCursor + numbered;
    if (numbered === 0 && verdict === "exact") return 0;
    const confirmed = verdict === "exact" ? this.#byCursor - 1 : 1;
    return Math.max(0, last + confirmed - known);
  }
}
