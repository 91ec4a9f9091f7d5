import { setMaxListeners } from "node:events";
import { type Dispatcher, Pool, ProxyAgent } from "undici";
import { ProxyFailure } from "./failures.js";
import type { ResolvedOptions } from "./options.js";

/** A dispatcher that this package created, and therefore destroys. */
export interface OwnedDispatcher {
  readonly dispatcher: Dispatcher;
  /** Closes every connection, also those that are still being established. */
  destroy(): Promise<void>;
}

/** Creates a keep-alive dispatcher that uses the proxy of the environment, if there is one for the service. */
export function ownDispatcher({ baseUrl, concurrency, timeout, proxy }: ResolvedOptions): OwnedDispatcher {
  // undici goes on connecting when its dispatcher is destroyed, so the sockets have a signal.
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const connect = { timeout: timeout * 1000, signal: stop.signal };
  const uri = proxy();
  // An Agent forgets a pool whose last connection was lost, and would not destroy it.
  const dispatcher =
    uri === undefined
      ? new Pool(new URL(baseUrl).origin, { connections: concurrency, connect })
      : new ProxyAgent({
          ...{ uri, connections: concurrency, connect, proxyTls: connect, requestTls: connect },
          clientFactory: (origin, options) => new ProxyPool(origin, options),
        });
  return {
    dispatcher,
    async destroy() {
      const destroyed = dispatcher.destroy();
      stop.abort();
      await destroyed;
    },
  };
}

/** Connections to a proxy. Their failures say that they are not those of the service. */
class ProxyPool extends Pool {
  override async connect(options: Dispatcher.ConnectOptions): Promise<never> {
    try {
      return (await super.connect(options)) as never;
    } catch (cause) {
      throw new ProxyFailure("no connection to the proxy", { cause });
    }
  }
}
