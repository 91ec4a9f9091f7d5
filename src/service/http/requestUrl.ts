import { ValidationError } from "../../errors/index.js";
import { quoted } from "../../util/quoted.js";
import type { Secret } from "./secret.js";

/** `new URL` resolves dot segments; white space, `?` and `#` would change the request. */
const SAFE_PATH = /^(\/(?!(?:\.|%2e){1,2}(?:\/|$))[^/?#\\\s\p{Cc}]+)+$/iu;

/**
 * The URL of a request below the base URL.
 *
 * @throws ValidationError for a path that would leave the service
 * @example
 * requestUrl("https://a.example/2.0", "/bills", [["query", "clean air"]], key).href;
 * //=> "https://a.example/2.0/bills?query=clean%20air"
 */
export function requestUrl(
  baseUrl: string,
  path: string,
  query: ReadonlyArray<readonly [string, string]>,
  key: Secret,
): URL {
  if (!SAFE_PATH.test(path)) {
    const hint = "Percent-encode the segments, for example /people/6153.";
    throw new ValidationError(`invalid path: ${quoted(key.redact(path), 200)}.`, { hint, parameter: "path" });
  }
  const url = new URL(baseUrl + path);
  const pairs = query.map(([name, value]): [string, string] => [name, value]);
  // %20 instead of +: some services read + as a plus sign.
  url.search = new URLSearchParams(pairs).toString().replaceAll("+", "%20");
  return url;
}
