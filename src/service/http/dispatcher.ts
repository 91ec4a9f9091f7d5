import { type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { ValidationError } from "../../errors/index.js";
import { ProxyFailure } from "./failedConnection.js";
import type { ResolvedOptions } from "./options.js";
import { isLoopback, parsedUrl } from "./url.js";

/** Creates a keep-alive dispatcher that uses the proxy of the environment, if there is one for the service. */
export function createDispatcher({ baseUrl, concurrency, timeout, env }: ResolvedOptions): Dispatcher {
  const url = new URL(baseUrl);
  const connect = { timeout: timeout * 1000 };
  const proxy = proxyFor(url, env());
  return proxy === undefined
    ? new Pool(url.origin, { connections: concurrency, connect })
    : new EnvHttpProxyAgent({
        ...{ ...proxy, connections: concurrency, connect, proxyTls: connect, requestTls: connect },
        clientFactory: (origin, options) => new ProxyPool(origin, options),
      });
}

/** The proxy of the environment. Only the variable that counts for the URL is checked; this machine is never reached by proxy. */
function proxyFor(url: URL, env: NodeJS.ProcessEnv) {
  const setting = (name: string) => (env[name.toLowerCase()] ?? env[name])?.trim();
  const name = (url.protocol === "https:" ? ["HTTPS_PROXY", "HTTP_PROXY"] : ["HTTP_PROXY"]).find(setting);
  if (name === undefined || isLoopback(url)) return undefined;
  const text = setting(name) as string;
  const proxy = parsedUrl(text.includes("://") ? text : `http://${text}`);
  if (proxy?.protocol !== "http:" && proxy?.protocol !== "https:") {
    const hint = "Set it to a URL such as http://proxy.example:8080, or unset it.";
    throw new ValidationError(`invalid environment variable ${name}.`, { hint, parameter: name });
  }
  return { httpProxy: proxy.href, httpsProxy: proxy.href, noProxy: setting("NO_PROXY") ?? "" };
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
