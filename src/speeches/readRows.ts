import { APIError } from "../errors/index.js";
import { parseExact } from "../frames/exactJson.js";
import type { Row } from "../service/operations/operations.js";
import { type Page, pageRows, type Redact } from "../service/paging/page.js";

/**
 * The rows of a page as values; for a frame with whole numbers beyond 2^53 exact.
 *
 * @throws APIError `BODY_NOT_JSON` where the body passed for JSON at a glance, and is none
 */
export function readRows(page: Page, path: string, redact: Redact, exact: boolean): Row[] {
  try {
    return exact ? exactRows(page) : pageRows(page);
  } catch (cause) {
    throw new APIError(`GET ${path} answered with a body that is not JSON.`, {
      code: "BODY_NOT_JSON",
      hint: "Check that baseUrl is the address of the service and that no proxy answers in its place.",
      method: "GET",
      path,
      cause: new SyntaxError(redact(String((cause as Error).message))),
    });
  }
}

function exactRows({ bytes, spans }: Page): Row[] {
  const rows: string[] = [];
  for (let at = 0; at < spans.length; at += 2) rows.push(bytes.toString("utf8", spans[at], spans[at + 1]));
  return parseExact(`[${rows.join(",")}]`) as Row[];
}
