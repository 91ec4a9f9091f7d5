import { ValidationError } from "../../errors/index.js";
import { parsedUrl } from "./baseUrl.js";

/** Which proxies the environment names. The URLs may hold a password. */
export interface ProxySettings {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy?: string;
}

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` (lower case first, as other tools do). A proxy without a scheme is
 * taken as `http://`.
 *
 * @returns undefined when no proxy is named
 * @throws ValidationError for a proxy that is no URL; the URL itself is not shown, it may hold a password
 */
export function proxySettings(env: NodeJS.ProcessEnv): ProxySettings | undefined {
  const httpProxy = proxyUrl("HTTP_PROXY", env.http_proxy ?? env.HTTP_PROXY);
  const httpsProxy = proxyUrl("HTTPS_PROXY", env.https_proxy ?? env.HTTPS_PROXY);
  if (httpProxy === undefined && httpsProxy === undefined) return undefined;
  // The empty text keeps undici from looking into the process environment once more.
  return { httpProxy: httpProxy ?? "", httpsProxy: httpsProxy ?? "", noProxy: env.no_proxy ?? env.NO_PROXY ?? "" };
}

function proxyUrl(name: string, value: string | undefined): string | undefined {
  const text = value?.trim();
  if (text === undefined || text === "") return undefined;
  const url = parsedUrl(text.includes("://") ? text : `http://${text}`);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url.href;
  const hint = `Set it to an address such as http://proxy.example:8080, or unset it.`;
  throw new ValidationError(`invalid environment variable ${name}.`, { hint, parameter: name });
}
