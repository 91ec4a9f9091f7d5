import { warnOnce } from "../errors/warn.js";
import type { ArchiveRequest } from "../service/operations/request.js";
import { quoted } from "../util/quoted.js";

/** What the query of a program search may have. */
const OPERATORS = /\b(?:AND|OR|NOT)\b|\*|\b(\w+):\S/;
/** Says once why a search for mentions found nothing, if its query has operators: mentions take a word or a phrase. */
export function warnOfOperators({ operation, query }: Pick<ArchiveRequest, "operation" | "query">): void {
  const text = new Map(query).get("query") ?? "";
  const [operator] = OPERATORS.exec(text) ?? [];
  if (operation !== "mentions" || operator === undefined) return;
  warnOnce(
    "QUERY_OPERATORS",
    `No mention was found for ${quoted(text)}: mentions take a word or a phrase, and no ${quoted(operator)}. Search for each phrase on its own, ` +
      `or search programs: archive.programsSearch(${quoted(text)}).`,
  );
}
