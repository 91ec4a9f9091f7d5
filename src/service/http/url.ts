import { invalid } from "../../errors/validators.js";
import type { Secret } from "./secret.js";

const EXAMPLE = "for example https://api.c-spanarchives.org/2.0";

/** Checks the URL of the service and removes trailing slashes. */
export function checkedBaseUrl(name: string, value: unknown, allowInsecure: boolean, key: Secret): string {
  // Errors omit user info, query and hash, where people put keys and passwords.
  const text = typeof value === "string" ? key.redact(value.replace(/^.*@/s, "…@").replace(/[?#].*$/s, "?…")) : value;
  const url = typeof value === "string" ? parsedUrl(value.trim()) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw invalid(name, text, `Give an absolute http or https URL, ${EXAMPLE}.`);
  if (url.username !== "" || url.password !== "" || /[?#]/.test(String(value)) || key.occursIn(url.pathname)) {
    // The path is omitted: next to a key in base64, it may contain a part of it.
    const hint = "Remove credentials, key, query and hash: the key belongs in ARCHIVE_API_KEY or the apiKey option.";
    throw invalid(name, `${url.origin}/…`, hint);
  }
  if (url.protocol === "http:" && !isLoopback(url) && !allowInsecure)
    throw invalid(name, text, "Plain http exposes the key to the network: use https, or set allowInsecure: true.");
  return url.origin + url.pathname.replace(/\/+$/, "");
}

export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

export const parsedUrl = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);
