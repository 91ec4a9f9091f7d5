/**
 * Characters that control a terminal or the text direction: controls (C0, DEL, C1), lone surrogates, line and paragraph separators,
 * bidirectional marks.
 */
const CONTROLS = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]/gu;

/** An escape of {@link escapeCharacter}, or one character. */
const ESCAPE_OR_CHARACTER = /\\u[\da-f]{4}|\\.|./gsu;

/** Default maximum length of foreign text in a message. */
const DEFAULT_LENGTH = 80;

/** The first `length` characters of a text, with an ellipsis if it is longer. Never splits a surrogate pair. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
  return `${text.slice(0, end)}…`;
}

/** The last `length` characters of a text, with an ellipsis if it is longer. Never splits a surrogate pair. */
export function clipStart(text: string, length: number): string {
  if (text.length <= length) return text;
  const first = text.charCodeAt(text.length - length);
  return `…${text.slice(text.length - length + (first >= 0xdc00 && first <= 0xdfff ? 1 : 0))}`;
}

/** Quotes foreign text for a message or a terminal: as JSON, clipped, with controls and bidirectional marks escaped. */
export function quoted(text: string, length: number = DEFAULT_LENGTH): string {
  const json = JSON.stringify(clip(text, length));
  return `"${clipEscaped(json.slice(1, -1).replace(CONTROLS, escapeCharacter), length)}"`;
}

/** Quotes the first `max` names: a response may have more columns than fit into a message. */
export function quotedList(names: readonly string[], max: number = 20): string {
  const shown = names.slice(0, max).map((name) => quoted(name));
  return names.length > max ? `${shown.join(", ")} and ${names.length - max} more` : shown.join(", ");
}

/** Escapes and clips like {@link quoted}, without quotation marks, for a path or a name. Does not escape backslashes. */
export function escaped(text: string, length: number = Number.POSITIVE_INFINITY): string {
  return clipEscaped(clip(text, length).replace(CONTROLS, escapeCharacter), length);
}

/** Escapes a text, but keeps line breaks and tabs. */
export function escapedLines(text: string): string {
  return text.replace(CONTROLS, (character) =>
    character === "\n" || character === "\t" ? character : escapeCharacter(character),
  );
}

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Clips an escaped text, never inside an escape. */
function clipEscaped(text: string, length: number): string {
  // One more for the ellipsis of `clip`.
  if (text.length <= length + 1) return text;
  let end = 0;
  for (const [piece] of text.matchAll(ESCAPE_OR_CHARACTER)) {
    if (end + piece.length > length) break;
    end += piece.length;
  }
  return `${text.slice(0, end)}…`;
}

/** Words as a list: `a, b and c`. */
export function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** A count and its noun: "1 row", "2,000 rows". */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** An integer with thousands separators. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A query in prose as it was typed, with typographic quotation marks around a phrase: “climate change”; otherwise in straight ones. */
export function quoteQuery(query: unknown): string {
  if (typeof query !== "string") return JSON.stringify(query);
  const text = escaped(query).replace(/"([^"]*)"/g, "“$1”");
  return /^“[^“”]*”$/.test(text) ? text : `"${text}"`;
}

const REASONS: Readonly<Record<string, string>> = {
  "capped one page": "first page only",
  "capped head": "capped by head()",
  "stopped ABORTED": "interrupted",
};

/** The verdict of a result, in words. */
export function verdictText({ verdict, reason }: { verdict: string; reason: string | null | undefined }): string {
  if (!reason) return verdict;
  if (verdict === "complete") return `complete ${reason}`;
  return REASONS[`${verdict} ${reason}`] ?? (verdict === "capped" ? `capped by ${reason}` : `stopped: ${reason}`);
}

interface TextColumn {
  readonly lines: readonly string[];
  readonly numeric: boolean;
}

export function alignedLines(columns: readonly TextColumn[]): string[] {
  const aligned = columns.map(({ lines, numeric }) => {
    const width = Math.max(...lines.map(cellWidth));
    return lines.map((line) => {
      const space = " ".repeat(width - cellWidth(line));
      return numeric ? space + line : line + space;
    });
  });
  return (aligned[0] ?? []).map((_, at) =>
    aligned
      .map((lines) => lines[at])
      .join("  ")
      .trimEnd(),
  );
}

// Characters two columns wide in a monospace font: East Asian characters and emoji.
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu;

function cellWidth(text: string): number {
  return [...text].length + (text.match(WIDE)?.length ?? 0);
}

type Values = Readonly<Record<string, unknown>>;

/** Formats rows as aligned columns with a header. Omits columns that contain only nulls. */
export function tableLines(rows: readonly Values[]): string[] {
  const names = Object.keys(rows[0] ?? {}).filter((name) => rows.some((row) => row[name] !== null));
  return alignedLines(
    names.map((name) => ({
      lines: [name, ...rows.map((row) => String(row[name] ?? ""))],
      numeric: typeof rows[0]?.[name] !== "string",
    })),
  );
}
