import type { ClientContext } from "../call/clientContext.js";
import { AbortedError } from "../errors/index.js";
import { onAbort } from "../util/callSignal.js";

/** Names of video types by the number that rows have. */
export type TypeNames = ReadonlyMap<string, string>;

const learned = new WeakMap<ClientContext, Promise<TypeNames>>();

/**
 * What the calls of a client have learned about the numbers of video types, handed on in the order in which the calls began: the requests
 * of a call then do not depend on how fast others are, and a replay sends those of the recording.
 *
 * @returns `before`: what the calls before have learned; `publish`: for the next call, once
 */
export function learnedTypes(client: ClientContext) {
  const previous = learned.get(client) ?? Promise.resolve<TypeNames>(new Map());
  let publish: (types: TypeNames) => void = () => undefined;
  learned.set(
    client,
    new Promise((resolve) => {
      publish = resolve;
    }),
  );
  const before = (signal: AbortSignal) =>
    new Promise<TypeNames>((resolve, reject) => {
      const unlink = onAbort(signal, () => reject(new AbortedError()));
      void previous.then(resolve).finally(unlink);
    });
  return { before, publish };
}
