import type { Socket } from "node:net";
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent, errors, Pool } from "undici";
import { isLoopback } from "./baseUrl.js";
import type { ResolvedOptions } from "./options.js";

/** A dispatcher that the transport created, and therefore destroys. */
export interface OwnedDispatcher {
  readonly dispatcher: Dispatcher;
  /** Cancels connections that are still being established, once no request waits for them. */
  abandon(): void;
  /** Closes every connection. */
  destroy(): Promise<void>;
}

/**
 * Creates the keep-alive dispatcher of a client without a session. It uses the proxies of the environment, but connects to
 * this machine directly.
 */
export function ownDispatcher(options: ResolvedOptions): OwnedDispatcher {
  const connecting = new Set<Socket>();
  const connections = options.concurrency;
  const connect = tracked(buildConnector({ timeout: options.timeout * 1000 }), connecting);
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

/** undici keeps connecting after a request is aborted, so the sockets being connected are tracked here. */
function tracked(connector: buildConnector.connector, connecting: Set<Socket>): buildConnector.connector {
  return (options, callback) => {
    const socket = connector(options, (...outcome) => {
      connecting.delete(socket);
      callback(...outcome);
    }) as unknown as Socket;
    connecting.add(socket);
  };
}
