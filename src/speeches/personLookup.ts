import type { ClientContext } from "../call/clientContext.js";
import type { CombinedRecorder } from "../call/combinedRecorder.js";
import { AbortedError } from "../errors/index.js";
import { declaredShape } from "../service/json/rowShape.js";
import { operations } from "../service/operations/operations.js";
import { buildRequest } from "../service/operations/request.js";
import type { Row } from "../service/operations/rows.js";
import { openPage, pageRows } from "../service/paging/page.js";
import { onAbort } from "../util/callSignal.js";

/** Name and title of a speaker from a person record; empty if the record has none. */
export interface Person {
  readonly name: string;
  readonly title: string;
}

const SHAPE = declaredShape(operations.person.columns);

/** Looks people up, once per client: only a failed lookup is repeated. */
export class PersonLookup {
  readonly #known = new Map<string, Promise<Person | undefined>>();
  #lastTurn: Promise<unknown> = Promise.resolve();

  /**
   * Queues the calls of a client in the order in which they began. Without it, the people that a call has to look up would
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

  /** Remembers a person from a list. */
  learn(id: string, person: Person): void {
    if (!this.has(id)) this.#known.set(id, Promise.resolve(person));
  }

  /**
   * Looks a person up, unless the client knows the person already.
   *
   * @returns undefined for an id that the archive does not know
   * @throws ArchiveError if the lookup fails after its retries
   */
  async find(
    client: ClientContext,
    id: string,
    combined: CombinedRecorder,
    signal: AbortSignal,
  ): Promise<Person | undefined> {
    for (;;) {
      const known = this.#known.get(id);
      if (known === undefined) return this.#remember(id, lookUp(client, id, combined, signal));
      try {
        return await orAborted(known, signal);
      } catch (error) {
        // Only the other call that sent the request was aborted, so try again.
        if (!(error instanceof AbortedError) || signal.aborted) throw error;
        if (this.#known.get(id) === known) this.#known.delete(id);
      }
    }
  }

  #remember(id: string, person: Promise<Person | undefined>): Promise<Person | undefined> {
    this.#known.set(id, person);
    person.catch(() => {
      if (this.#known.get(id) === person) this.#known.delete(id);
    });
    return person;
  }
}

/** Name and title from a row of people. */
export function personOf({ name, title }: Row): Person {
  const text = (value: unknown) => (typeof value === "string" ? value.trim() : "");
  return { name: text(name), title: text(title) };
}

async function lookUp(
  client: ClientContext,
  id: string,
  combined: CombinedRecorder,
  signal: AbortSignal,
): Promise<Person | undefined> {
  const request = buildRequest("person", { id });
  const recorder = combined.add(request);
  const response = await client.requester.request(request.path, request.query, { ...recorder.context, signal });
  recorder.addResponse(response);
  const page = openPage(response, request, SHAPE, client.redact);
  const [row] = pageRows(page);
  recorder.pages++;
  combined.onPage();
  return row && personOf(row);
}

/** Settles like the promise, or rejects with AbortedError when the signal aborts. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const unlink = onAbort(signal, () => reject(new AbortedError()));
    promise.then(resolve, reject).finally(unlink);
  });
}
