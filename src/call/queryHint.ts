import type { ArchiveRequest } from "../service/operations/request.js";
import { quoted } from "../util/quoted.js";

/** What the query of a program search may have. */
const OPERATORS = /\b(?:AND|OR|NOT)\b|\*|\b(\w+):\S/;
const warned = new Set<string>();

/** Says once why a search for mentions found nothing, if its query has operators: mentions take a word or a phrase. */
export function warnOfOperators({ operation, query }: Pick<ArchiveRequest, "operation" | "query">): void {
  const text = new Map(query).get("query") ?? "";
  const [operator] = OPERATORS.exec(text) ?? [];
  if (operation !== "mentions" || operator === undefined || warned.has(text)) return;
  warned.add(text);
  process.emitWarning(
    `No mention was found for ${quoted(text)}: mentions take a word or a phrase, and no ${quoted(operator)}. Search for each phrase on its own, ` +
      `or search programs: archive.programsSearch(${quoted(text)}).`,
    { type: "ArchiveFramesWarning", code: "QUERY_OPERATORS" },
  );
}
