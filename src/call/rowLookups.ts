import { abortedError, NotFoundError } from "../errors/index.js";
import { parseExact } from "../frames/exactJson.js";
import { declaredSchema, rowsJson } from "../pages/rows.js";
import type { RequestBudget } from "../service/http/requester.js";
import { operations, type Row } from "../service/operations/operations.js";
import { buildRequest } from "../service/operations/request.js";
import { openPage } from "../service/paging/page.js";
import { untilAborted } from "../util/callSignal.js";
import type { LookupName } from "./callOptions.js";
import type { CombinedRecorder } from "./combinedRecorder.js";

interface LookupContext {
  readonly combined: CombinedRecorder;
  readonly signal: AbortSignal;
  readonly budget?: RequestBudget | undefined;
}

/** The rows that a client has looked up by id. Concurrent calls share a lookup; the next call repeats one that failed. */
export class RowLookups {
  readonly #rows = new Map<string, Promise<Row | undefined>>();

  constructor(readonly operation: LookupName) {}

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  /** Adds a row that a search returned. */
  add(id: string, row: Row): void {
    if (!this.has(id)) this.#rows.set(id, Promise.resolve(row));
  }

  /** The row of an id; undefined if the archive does not have it. */
  find(id: string, context: LookupContext): Promise<Row | undefined> {
    const { signal } = context;
    const pendingRow = this.#rows.get(id);
    if (pendingRow !== undefined)
      return untilAborted(pendingRow, signal).catch(() => {
        if (signal.aborted) throw abortedError(undefined, signal.reason);
        // The call that sent the request may have been aborted or out of requests, which this one is not.
        return this.find(id, context);
      });
    const row = this.#request(id, context);
    this.#rows.set(id, row);
    row.catch(() => this.#rows.delete(id));
    return row;
  }

  async #request(id: string, { combined, signal, budget }: LookupContext): Promise<Row | undefined> {
    const { requester, redact } = combined.client;
    const request = buildRequest(this.operation, { id });
    const recorder = combined.add(request);
    try {
      const response = await requester.request(request.path, request.query, { ...recorder.context, signal, budget });
      recorder.addResponse(response);
      const page = openPage(response, request, declaredSchema(operations[this.operation].columns), redact);
      recorder.pages++;
      recorder.rows = page.records.rows;
      combined.onPage();
      return (parseExact(rowsJson(page)) as Row[])[0];
    } catch (error) {
      // An unknown person is a response without rows, an unknown program a 404.
      if (this.operation === "program" && error instanceof NotFoundError) return undefined;
      throw error;
    }
  }
}
