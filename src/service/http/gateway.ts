import type { ErrorResponse } from "../../errors/index.js";

/** Where services put their message in a JSON body, even a clipped one: `{"error":{"message":"…"}}`. */
const MESSAGE = /"(?:message|detail|error_description|error|title)"\s*:\s*("(?:[^"\\]|\\.)*")/;

/** The message in a JSON body. */
export function messageOf(body: string): string | undefined {
  try {
    const text: unknown = JSON.parse(MESSAGE.exec(body)?.[1] ?? body);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether AWS API Gateway, which the live service stands behind, gives an error of a type: by its message, or in its header unless the
 * message is `other`.
 */
export function gatewaySays(
  { headers, body }: Pick<ErrorResponse, "headers" | "body">,
  type: string,
  message: string,
  other?: string,
): boolean {
  const said = (messageOf(body) ?? body).trim();
  // The type may be followed by a colon and a URL.
  return said === message || (said !== other && headers["x-amzn-errortype"]?.split(":")[0]?.trim() === type);
}
