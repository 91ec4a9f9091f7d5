import { ValidationError } from "../../errors/index.js";
import { parsedUrl } from "./baseUrl.js";

/** The proxies of the environment. Their URLs may contain passwords. */
export interface ProxySettings {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy?: string;
}

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`; lower-case names win, as in other tools. A proxy without a scheme
 * gets `http://`.
 *
 * @returns undefined if no proxy is set
 * @throws ValidationError for an invalid URL, which is not shown because it may contain a password
 */
export function proxySettings(env: NodeJS.ProcessEnv): ProxySettings | undefined {
  const httpProxy = proxyUrl("HTTP_PROXY", env.http_proxy ?? env.HTTP_PROXY);
  const httpsProxy = proxyUrl("HTTPS_PROXY", env.https_proxy ?? env.HTTPS_PROXY);
  if (httpProxy === undefined && httpsProxy === undefined) return undefined;
  // An empty string, because undici reads undefined from the process environment.
  return { httpProxy: httpProxy ?? "", httpsProxy: httpsProxy ?? "", noProxy: env.no_proxy ?? env.NO_PROXY ?? "" };
}

function proxyUrl(name: string, value: string | undefined): string | undefined {
  const text = value?.trim();
  if (text === undefined || text === "") return undefined;
  const url = parsedUrl(text.includes("://") ? text : `http://${text}`);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url.href;
  const hint = "Set it to a URL such as http://proxy.example:8080, or unset it.";
  throw new ValidationError(`invalid environment variable ${name}.`, { hint, parameter: name });
}
