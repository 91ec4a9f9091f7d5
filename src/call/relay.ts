import { AbortedError } from "../errors/index.js";
import { onAbort } from "../util/callSignal.js";

/**
 * Hands something from call to call in the order in which they began: what a call then does depends on how far the others are, and not on how
 * fast, and a replay sends the requests of the recording.
 */
export class Relay<T> {
  #last: Promise<T>;

  constructor(first: T) {
    this.#last = Promise.resolve(first);
  }

  /** @returns `before`: what the calls before have handed on; `publish`: hands on to the next call, once */
  join() {
    const previous = this.#last;
    let publish: (value: T) => void = () => undefined;
    const own = new Promise<T>((resolve) => {
      publish = resolve;
    });
    this.#last = previous.then(() => own);
    const before = (signal: AbortSignal) =>
      new Promise<T>((resolve, reject) => {
        const unlink = onAbort(signal, () => reject(new AbortedError()));
        void previous.then(resolve).finally(unlink);
      });
    return { before, publish };
  }
}
