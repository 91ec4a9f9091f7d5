import { ValidationError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";
import type { Secret } from "./secret.js";

const KEY_SETTING = "ARCHIVE_API_KEY or the apiKey option";

const EXAMPLE = "for example https://api.c-spanarchives.org/2.0";

/** Checks the URL of the service and removes trailing slashes. */
export function checkedBaseUrl(name: string, value: unknown, allowInsecure: boolean, key: Secret): string {
  // Shown without user info, query and hash, where people put keys and passwords.
  const shown = typeof value === "string" ? key.redact(value.replace(/^.*@/s, "…@").replace(/[?#].*$/s, "?…")) : value;
  const invalidUrl = (hint: string) => invalid(name, shown, hint);
  const url = typeof value === "string" ? parsedUrl(value.trim()) : undefined;
  if (typeof value !== "string" || url === undefined || !/^https?:$/.test(url.protocol)) {
    throw invalidUrl(`Give an absolute http or https URL, ${EXAMPLE}.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw invalidUrl(`Remove the credentials from the URL: the key belongs into ${KEY_SETTING}.`);
  }
  if (key.occursIn(url.pathname + url.search + url.hash) || KEY_IN_URL.test(value)) {
    // The path is not shown: it may contain the key in an unknown encoding.
    const hint = `Remove the key from the URL: it belongs into ${KEY_SETTING}.`;
    throw invalid(name, key.redact(`${url.origin}/…`), hint);
  }
  if (/[?#]/.test(value)) throw invalidUrl(`Remove the query and the hash from the URL, ${EXAMPLE}.`);
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowInsecure) {
    throw invalidUrl("Plain http exposes the key to the network: use https, or set allowInsecure: true.");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** A parameter named like a key, in the query or the path: `?key=…`, `;api_key=…`, `/token=…`. */
const KEY_IN_URL =
  /[?&;/#](?:[\w.-]{0,40}[_.-])?(?:api[_.-]?)?(?:key|token|secret|password|passwd|pwd|auth|credentials?|signature|sig)=/i;

/** Whether the host name of a parsed URL is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** The proxies of the environment. Their URLs may contain passwords. */
export interface ProxySettings {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy?: string;
}

/** Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`; lower-case names win, as in other tools. A proxy without a scheme gets `http://`. */
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
