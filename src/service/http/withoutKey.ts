import { copyCause } from "../../errors/causes.js";
import { asUtf8 } from "./asUtf8.js";
import type { ServiceResponse } from "./requester.js";
import type { Secret } from "./secret.js";

type CleanResponse = Pick<ServiceResponse, "body" | "headers" | "redactions">;

/**
 * Removes the key from a response. A service that echoes it would otherwise put it into every frame and file.
 *
 * @throws Error without the key, if the search itself fails: a defect of this package, which a retry would repeat
 */
export function withoutKey(bytes: Buffer, headers: Readonly<Record<string, string>>, key: Secret): CleanResponse {
  try {
    const { body, redactions } = key.redactBody(asUtf8(bytes, headers["content-type"]));
    return { body, headers: key.redactAll(headers), ...(redactions > 0 && { redactions }) };
  } catch (error) {
    throw copyCause(error, key.redact);
  }
}
