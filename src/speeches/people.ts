import type { ClientContext } from "../call/clientContext.js";
import { AbortedError } from "../errors/index.js";
import { declaredShape } from "../service/json/rowShape.js";
import { operations } from "../service/operations/operations.js";
import { buildRequest } from "../service/operations/request.js";
import type { Row } from "../service/operations/rows.js";
import { openPage } from "../service/paging/page.js";
import { onAbort } from "../util/callSignal.js";
import type { CombinedRecorder } from "./combinedRecorder.js";
import { readRows } from "./readRows.js";

/** What a person record says of a speaker. Empty where it says nothing. */
export interface Person {
  readonly name: string;
  readonly title: string;
}

const SHAPE = declaredShape(operations.person.columns);

/** The people that a client has looked up: nobody is asked for twice, unless it failed. */
export class People {
  readonly #known = new Map<string, Promise<Person | undefined>>();
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Lets several calls of a client look people up one call after the other, in the order in which they began: whom a call has to
   * look up must not depend on how far another one is at that moment.
   *
   * @returns waits for the calls before, and gives the turn to the next one
   */
  turn(): { wait: (signal: AbortSignal) => Promise<void>; end: () => void } {
    const before = this.#last;
    let end: () => void = () => undefined;
    const own = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#last = before.then(() => own);
    return { wait: async (signal) => void (await orAborted(before, signal)), end };
  }

  has(id: string): boolean {
    return this.#known.has(id);
  }

  /** Keeps a person that came in a list. */
  learn(id: string, person: Person): void {
    if (!this.has(id)) this.#known.set(id, Promise.resolve(person));
  }

  /**
   * Looks a person up, if nobody has yet.
   *
   * @returns undefined for an id that the archive does not know
   * @throws ArchiveError where the look-up fails after its retries
   */
  async find(
    client: ClientContext,
    id: string,
    combined: CombinedRecorder,
    signal: AbortSignal,
  ): Promise<Person | undefined> {
    for (;;) {
      const known = this.#known.get(id);
      if (known === undefined) return this.#keep(id, lookUp(client, id, combined, signal));
      try {
        return await orAborted(known, signal);
      } catch (error) {
        // It was another call that was stopped while it asked.
        if (!(error instanceof AbortedError) || signal.aborted) throw error;
        if (this.#known.get(id) === known) this.#known.delete(id);
      }
    }
  }

  #keep(id: string, person: Promise<Person | undefined>): Promise<Person | undefined> {
    this.#known.set(id, person);
    person.catch(() => {
      if (this.#known.get(id) === person) this.#known.delete(id);
    });
    return person;
  }
}

/** What a row of people says of a speaker. */
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
  const recorder = combined.open(request);
  const response = await client.requester.request(request.path, request.query, { ...recorder.context, signal });
  recorder.answered(response);
  const page = openPage(response, request, SHAPE, client.redact);
  const [row] = readRows(page, request.path, client.redact, false);
  recorder.pages++;
  combined.page();
  return row && personOf(row);
}

/** A promise, or the abort of whoever waits for it. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const unlink = onAbort(signal, () => reject(new AbortedError()));
    promise.then(resolve, reject).finally(unlink);
  });
}
