import { abortedError } from "../errors/index.js";
import { onAbort } from "../util/callSignal.js";

/**
 * Passes a value from call to call in the order in which they began, so that a replay sends the same requests as the recording,
 * regardless of timing.
 */
export class Relay<T> {
  #last: Promise<T>;

  constructor(first: T) {
    this.#last = Promise.resolve(first);
  }

  /** @returns `before`: waits for the value of the previous calls; `publish`: passes a value to the next call, once */
  join() {
    const previous = this.#last;
    let publish: (value: T) => void = () => undefined;
    const own = new Promise<T>((resolve) => {
      publish = resolve;
    });
    this.#last = previous.then(() => own);
    const before = (signal: AbortSignal) =>
      new Promise<T>((resolve, reject) => {
        const unlink = onAbort(signal, () => reject(abortedError()));
        void previous.then(resolve).finally(unlink);
      });
    return { before, publish };
  }
}
