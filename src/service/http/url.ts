import { ValidationError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";
import type { Secret } from "./secret.js";

const EXAMPLE = "for example https://api.c-spanarchives.org/2.0";

/** Checks the URL of the service and removes trailing slashes. */
export function checkedBaseUrl(name: string, value: unknown, allowInsecure: boolean, key: Secret): string {
  // Shown without user info, query and hash, where people put keys and passwords.
  const shown = typeof value === "string" ? key.redact(value.replace(/^.*@/s, "…@").replace(/[?#].*$/s, "?…")) : value;
  const invalidUrl = (hint: string) => invalid(name, shown, hint);
  const url = typeof value === "string" ? parsedUrl(value.trim()) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw invalidUrl(`Give an absolute http or https URL, ${EXAMPLE}.`);
  const hasMore = url.username !== "" || url.password !== "" || /[?#]/.test(String(value));
  if (hasMore || key.occursIn(url.pathname)) {
    const hint = "Remove credentials, key, query and hash: the key belongs into ARCHIVE_API_KEY or the apiKey option.";
    // A path with the key is not shown at all: the letters of base64 beside it may hold a part of it.
    throw hasMore ? invalidUrl(hint) : invalid(name, `${url.origin}/…`, hint);
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowInsecure)
    throw invalidUrl("Plain http exposes the key to the network: use https, or set allowInsecure: true.");
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Whether the host name of a parsed URL is this machine. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/**
 * The proxy of the environment for a base URL; its URL may contain a password. Lower-case names win, as in other tools. This machine is never
 * reached by proxy.
 *
 * @throws ValidationError for a proxy that cannot be used
 */
export function proxyFor(baseUrl: string, env: NodeJS.ProcessEnv): string | undefined {
  const { protocol, hostname, port } = new URL(baseUrl);
  const noProxy = env.no_proxy ?? env.NO_PROXY ?? "";
  if (isLoopback(hostname) || isExcluded(hostname, port || DEFAULT_PORTS[protocol], noProxy)) return undefined;
  const names = protocol === "https:" ? ["HTTPS_PROXY", "HTTP_PROXY"] : ["HTTP_PROXY"];
  for (const name of names) {
    const text = (env[name.toLowerCase()] ?? env[name])?.trim();
    if (!text) continue;
    const url = parsedUrl(text.includes("://") ? text : `http://${text}`);
    if (url?.protocol === "http:" || url?.protocol === "https:") return url.href;
    const hint = "Set it to a URL such as http://proxy.example:8080, or unset it.";
    throw new ValidationError(`invalid environment variable ${name}.`, { hint, parameter: name });
  }
  return undefined;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** Whether `NO_PROXY` names a host, a domain that it is in, or all. */
function isExcluded(hostname: string, port: string | undefined, noProxy: string): boolean {
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, domain = "", only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (entry === "*") return true;
      const isHost = domain !== "" && (hostname === domain || hostname.endsWith(`.${domain}`));
      return isHost && (only === undefined || only === port);
    });
}
