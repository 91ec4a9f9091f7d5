import type { Socket } from "node:net";
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent, errors, Pool } from "undici";
import type { ResolvedOptions } from "./options.js";
import { isLoopback } from "./url.js";

/** A dispatcher that the transport created, and therefore destroys. */
export interface OwnedDispatcher {
  readonly dispatcher: Dispatcher;
  /** Cancels connections that are still being established, once no request waits for them. */
  abandon(): void;
  /** Closes every connection. */
  destroy(): Promise<void>;
}

/** What a dispatcher needs to know of a client. */
export type DispatcherOptions = Pick<ResolvedOptions, "baseUrl" | "concurrency" | "timeout" | "proxies">;

/**
 * Creates the keep-alive dispatcher of a client without a session. It uses the proxies of the environment, but connects to
 * this machine directly.
 *
 * @param isWaiting whether a request waits for a connection
 */
export function ownDispatcher(options: DispatcherOptions, isWaiting: () => boolean): OwnedDispatcher {
  const connecting = new Set<Socket>();
  const tracked = (connector: buildConnector.connector) => trackedConnector(connector, connecting, isWaiting);
  const connections = options.concurrency;
  const timeout = options.timeout * 1000;
  const connect = tracked(buildConnector({ timeout }));
  const proxies = isLoopback(new URL(options.baseUrl).hostname) ? undefined : options.proxies();
  const dispatcher =
    proxies === undefined
      ? new Agent({ connections, connect })
      : new EnvHttpProxyAgent({
          ...proxies,
          connections,
          connect,
          clientFactory: (origin) => new Pool(origin, { connect }),
        });
  const abandon = () => {
    // After this kind of error undici reconnects if another request has arrived.
    for (const socket of connecting) socket.destroy(new errors.SocketError("no request waits for this connection"));
  };
  return {
    dispatcher,
    abandon,
    async destroy() {
      abandon();
      await dispatcher.destroy();
    },
  };
}

/**
 * undici keeps connecting after a request is aborted, so the sockets being connected are tracked here. When such a socket is
 * destroyed, undici connects again for the aborted request; that is refused unless another request waits.
 */
function trackedConnector(
  connector: buildConnector.connector,
  connecting: Set<Socket>,
  isWaiting: () => boolean,
): buildConnector.connector {
  return (options, callback) => {
    if (!isWaiting()) return callback(new Error("no request waits for a connection"), null);
    const socket = connector(options, (...outcome) => {
      connecting.delete(socket);
      callback(...outcome);
    }) as unknown as Socket;
    connecting.add(socket);
  };
}
