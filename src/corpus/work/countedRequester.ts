import type { Requester } from "../../service/http/requester.js";

/** A requester that counts the requests it sends, retries and those of a replayed recording included. */
export class CountedRequester implements Requester {
  sent = 0;

  constructor(readonly requester: Requester) {}

  request(...[path, query, context]: Parameters<Requester["request"]>): ReturnType<Requester["request"]> {
    return this.requester.request(path, query, {
      ...context,
      onRequest: () => {
        this.sent++;
        context?.onRequest?.();
      },
      onReplay: (cost) => {
        this.sent += cost.requests;
        context?.onReplay?.(cost);
      },
    });
  }
}
