import type { Socket } from "node:net";
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent, errors, Pool } from "undici";
import { isLoopback } from "./baseUrl.js";
import type { ResolvedOptions } from "./options.js";

/** A dispatcher that the transport has made itself, and so has to take down. */
export interface OwnedDispatcher {
  readonly dispatcher: Dispatcher;
  /** Gives up the connections that are only being made, when nobody waits for them any more. */
  abandon(): void;
  /** Cuts every connection. */
  destroy(): Promise<void>;
}

/**
 * Makes the keep-alive dispatcher of a client that was given no session: through the proxies of the environment where
 * they are named, but never through a proxy to this machine itself.
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
    // With this kind of error undici connects anew if a request has come meanwhile.
    for (const socket of connecting) socket.destroy(new errors.SocketError("nobody waits for this connection"));
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

/** undici goes on connecting after the request has been aborted: so we keep the sockets of connections being made. */
function tracked(connector: buildConnector.connector, connecting: Set<Socket>): buildConnector.connector {
  return (options, callback) => {
    const socket = connector(options, (...outcome) => {
      connecting.delete(socket);
      callback(...outcome);
    }) as unknown as Socket;
    connecting.add(socket);
  };
}
