import { parseExact } from "../frames/exactJson.js";
import { rowsJson } from "../service/json/rowSlices.js";
import type { Row } from "../service/operations/rows.js";
import { type Page, pageRows } from "../service/paging/page.js";
import { bodyNotJson, type Redact } from "../service/paging/unreadableBody.js";

/**
 * Parses the rows of a page.
 *
 * @param exact keep integers beyond 2^53 exact, for a frame
 * @throws APIError `BODY_NOT_JSON` if the body is not valid JSON after all: the page scanner does not check everything
 */
export function readRows(page: Page, path: string, redact: Redact, exact: boolean): Row[] {
  try {
    return exact ? (parseExact(rowsJson(page)) as Row[]) : pageRows(page);
  } catch (cause) {
    throw bodyNotJson(path, cause, redact);
  }
}
