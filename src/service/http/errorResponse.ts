import type { ErrorResponse } from "../../errors/index.js";
import { clip } from "../../util/clip.js";
import type { Secret } from "./secret.js";

/** Characters of a body that are kept on an error. */
const KEPT = 2000;

/**
 * The answer as it is kept on an error: the first 2,000 characters of the body, the key taken out of body and headers.
 *
 * @example
 * throw new APIError("GET /bills answered 200 with a body that is no JSON.", {
 *   code: "BODY_NOT_JSON", hint: "…", method: "GET", path: "/bills", statusCode: 200,
 *   response: errorResponse(reply.status, reply.headers, reply.body, options.key),
 * });
 */
export function errorResponse(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer | string,
  secret: Secret,
): ErrorResponse {
  // Redacted before it is clipped: half a key at the end would not be recognised.
  const text = clip(secret.redact(body.toString("utf8")), KEPT);
  return Object.freeze({ status, headers: Object.freeze(secret.redactAll(headers)), body: text });
}
