import { APIError } from "../../errors/index.js";
import type { ServiceResponse } from "../http/requester.js";
import type { ArchiveRequest } from "../operations/request.js";

/** Removes the API key from text. */
export type Redact = (text: string) => string;

const HINT = "Check that baseUrl is the address of the service and that no proxy intercepts the request.";

/** The error for a response that is not a page: `BODY_NOT_JSON`, or `UNEXPECTED_BODY` for JSON of another shape. */
export function unreadableBody(
  response: ServiceResponse,
  problem: string,
  { path }: ArchiveRequest,
  redact: Redact,
): APIError {
  const { status, headers } = response;
  const text = response.body.toString().replace(/^\ufeff/, "");
  const details = {
    hint: HINT,
    method: "GET",
    path,
    statusCode: status,
    response: { status, headers, body: redact(text.slice(0, 4000)).slice(0, 2000) },
  };
  const what = `GET ${path}: the response (status ${status})`;
  try {
    JSON.parse(text);
  } catch (error) {
    const cause = new SyntaxError(redact((error as Error).message));
    return new APIError(`${what} is not valid JSON.`, { code: "BODY_NOT_JSON", ...details, cause });
  }
  return new APIError(`${what} is JSON of an unexpected shape: ${problem}.`, { code: "UNEXPECTED_BODY", ...details });
}
