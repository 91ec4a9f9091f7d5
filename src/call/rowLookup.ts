import { AbortedError, NotFoundError } from "../errors/index.js";
import { parseExact } from "../frames/exactJson.js";
import { declaredShape, rowText } from "../pages/rows.js";
import { operations } from "../service/operations/operations.js";
import { buildRequest } from "../service/operations/request.js";
import type { Row } from "../service/operations/rows.js";
import { openPage } from "../service/paging/page.js";
import { onAbort } from "../util/callSignal.js";
import type { ClientContext } from "./clientContext.js";
import type { CombinedRecorder } from "./combinedRecorder.js";

/** The operations that fetch one row by its id. */
export type LookupName = "person" | "program";

/** Looks rows up by id, once per client: only a failed lookup is repeated. */
export class RowLookup {
  readonly #known = new Map<string, Promise<Row | undefined>>();
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(readonly operation: LookupName) {}

  /**
   * Queues the calls of a client in the order in which they began. Without it, the rows that a call has to look up would
   * depend on the progress of another one, and a replay could send other requests than the recording.
   *
   * @returns `wait` for the calls before, `end` for the next one
   */
  turn(): { wait: (signal: AbortSignal) => Promise<void>; end: () => void } {
    const previous = this.#lastTurn;
    let end: () => void = () => undefined;
    const own = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#lastTurn = previous.then(() => own);
    return { wait: async (signal) => void (await orAborted(previous, signal)), end };
  }

  has(id: string): boolean {
    return this.#known.has(id);
  }

  /** Remembers a row from a list. */
  learn(id: string, row: Row): void {
    if (!this.has(id)) this.#known.set(id, Promise.resolve(row));
  }

  /**
   * Looks a row up, unless the client knows it already.
   *
   * @returns undefined for an id that the archive does not know
   * @throws ArchiveError if the lookup fails after its retries
   */
  async find(
    client: ClientContext,
    id: string,
    combined: CombinedRecorder,
    signal: AbortSignal,
  ): Promise<Row | undefined> {
    for (;;) {
      const known = this.#known.get(id);
      if (known === undefined) return this.#remember(id, this.#lookUp(client, id, combined, signal));
      try {
        return await orAborted(known, signal);
      } catch (error) {
        // Only the other call that sent the request was aborted, so try again.
        if (!(error instanceof AbortedError) || signal.aborted) throw error;
        if (this.#known.get(id) === known) this.#known.delete(id);
      }
    }
  }

  #remember(id: string, row: Promise<Row | undefined>): Promise<Row | undefined> {
    this.#known.set(id, row);
    row.catch(() => {
      if (this.#known.get(id) === row) this.#known.delete(id);
    });
    return row;
  }

  async #lookUp(
    client: ClientContext,
    id: string,
    combined: CombinedRecorder,
    signal: AbortSignal,
  ): Promise<Row | undefined> {
    const request = buildRequest(this.operation, { id });
    const recorder = combined.add(request);
    try {
      const response = await client.requester.request(request.path, request.query, { ...recorder.context, signal });
      recorder.addResponse(response);
      const shape = declaredShape(operations[this.operation].columns);
      const page = openPage(response, request, shape, client.redact);
      const row = page.ids.length === 0 ? undefined : (parseExact(rowText(page, 0)) as Row);
      recorder.pages++;
      recorder.rows = row === undefined ? 0 : 1;
      combined.onPage();
      return row;
    } catch (error) {
      // The service has no other way to say that it does not know a program.
      if (this.operation === "program" && error instanceof NotFoundError) return undefined;
      throw error;
    }
  }
}

/** Settles like the promise, or rejects with AbortedError when the signal aborts. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const unlink = onAbort(signal, () => reject(new AbortedError()));
    promise.then(resolve, reject).finally(unlink);
  });
}
