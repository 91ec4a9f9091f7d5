import { invalid } from "../../errors/validators.js";
import type { Secret } from "./secret.js";

const EXAMPLE = "for example https://api.c-spanarchives.org/2.0";

/**
 * Checks the address of the service and takes trailing slashes off.
 *
 * @param name the option or variable it comes from
 * @param key must not stand in the address; no message repeats it
 * @throws ValidationError when it is not absolute http(s), holds credentials, a key, a query or a hash, or is plain http to
 * another machine without `allowInsecure`
 */
export function checkedBaseUrl(name: string, value: unknown, allowInsecure: boolean, key: Secret): string {
  const refuse = (hint: string) => invalid(name, typeof value === "string" ? key.redact(harmless(value)) : value, hint);
  if (typeof value !== "string" || value.trim() === "") {
    throw refuse(`Give an absolute http or https address, ${EXAMPLE}.`);
  }
  const url = parsedUrl(value.trim());
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw refuse(`Give an absolute http or https address, ${EXAMPLE}.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw refuse("Leave the credentials out of the address: the key goes into ARCHIVE_API_KEY or the apiKey option.");
  }
  if (key.standsIn(url.pathname + url.search + url.hash) || KEY_IN_ADDRESS.test(value)) {
    // Nothing of the path is shown: a key may be written there in a way that nobody knows.
    const hint = "Leave the key out of the address: it goes into ARCHIVE_API_KEY or the apiKey option.";
    throw invalid(name, key.redact(`${url.origin}/…`), hint);
  }
  if (/[?#]/.test(value)) throw refuse(`Leave the query and the hash out of the address, ${EXAMPLE}.`);
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowInsecure) {
    throw refuse("Plain http shows the key to the network: use https, or set allowInsecure: true.");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** A parameter that is called like a key, in the query or in the path: `?key=…`, `;api_key=…`, `/token=…`. */
const KEY_IN_ADDRESS =
  /[?&;/#](?:[\w.-]{0,40}[_.-])?(?:api[_.-]?)?(?:key|token|secret|password|passwd|pwd|auth|credentials?|signature|sig)=/i;

/** Whether a host name of a parsed URL is this machine itself. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** `new URL`, with undefined for a text that is no URL. */
export function parsedUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Without user info, query and hash: people put keys and passwords there. */
function harmless(address: string): string {
  return address.replace(/^.*@/s, "…@").replace(/[?#].*$/s, "?…");
}
