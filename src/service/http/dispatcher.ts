import { setMaxListeners } from "node:events";
import { type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import type { ResolvedOptions } from "./options.js";
import { isLoopback } from "./url.js";

/** A dispatcher that this package created, and therefore destroys. */
export interface OwnedDispatcher {
  readonly dispatcher: Dispatcher;
  /** Closes every connection, also those that are still being established. */
  destroy(): Promise<void>;
}

export type DispatcherOptions = Pick<ResolvedOptions, "baseUrl" | "concurrency" | "timeout" | "proxies">;

/** Creates a keep-alive dispatcher that uses the proxies of the environment, but connects to this machine directly. */
export function ownDispatcher({ baseUrl, concurrency, timeout, proxies }: DispatcherOptions): OwnedDispatcher {
  // undici goes on connecting when its dispatcher is destroyed, so the sockets have a signal.
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const connect = { timeout: timeout * 1000, signal: stop.signal };
  const common = { connections: concurrency, connect };
  const { hostname, origin } = new URL(baseUrl);
  const settings = isLoopback(hostname) ? undefined : proxies();
  // An Agent forgets a pool whose last connection was lost, and would not destroy it.
  const dispatcher =
    settings === undefined
      ? new Pool(origin, common)
      : new EnvHttpProxyAgent({ ...settings, ...common, proxyTls: connect, requestTls: connect });
  return {
    dispatcher,
    async destroy() {
      const destroyed = dispatcher.destroy();
      stop.abort();
      await destroyed;
    },
  };
}
