import { parseExact } from "../frames/exactJson.js";
import { rowsJson } from "../service/json/rowSlices.js";
import type { Row } from "../service/operations/rows.js";
import { type Page, pageRows } from "../service/paging/page.js";
import { bodyNotJson, type Redact } from "../service/paging/unreadableBody.js";

/**
 * The rows of a page as values; for a frame with whole numbers beyond 2^53 exact.
 *
 * @throws APIError `BODY_NOT_JSON` where the body passed for JSON at a glance, and is none
 */
export function readRows(page: Page, path: string, redact: Redact, exact: boolean): Row[] {
  try {
    return exact ? (parseExact(rowsJson(page)) as Row[]) : pageRows(page);
  } catch (cause) {
    throw bodyNotJson(path, cause, redact);
  }
}
