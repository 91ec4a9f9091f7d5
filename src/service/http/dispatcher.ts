import { setMaxListeners } from "node:events";
import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import type { ResolvedOptions } from "./options.js";
import { isLoopback } from "./url.js";

/** A dispatcher that this package created, and therefore destroys. */
export interface OwnedDispatcher {
  readonly dispatcher: Dispatcher;
  /** Closes every connection, also those that are still being established. */
  destroy(): Promise<void>;
}

/** What a dispatcher needs to know of a client. */
export type DispatcherOptions = Pick<ResolvedOptions, "baseUrl" | "concurrency" | "timeout" | "proxies">;

/** Creates a keep-alive dispatcher that uses the proxies of the environment, but connects to this machine directly. */
export function ownDispatcher({ baseUrl, concurrency, timeout, proxies }: DispatcherOptions): OwnedDispatcher {
  // undici goes on connecting when its dispatcher is destroyed, so the sockets have a signal.
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const connect = { timeout: timeout * 1000, signal: stop.signal };
  const common = { connections: concurrency, connect };
  const settings = isLoopback(new URL(baseUrl).hostname) ? undefined : proxies();
  const dispatcher =
    settings === undefined
      ? new Agent(common)
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
