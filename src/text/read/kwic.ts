import { checkedOptions, faulty, nonNegativeInteger } from "../../errors/validators.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { columnsOf, resultFrame, TIMESTAMP } from "../../frames/resultFrame.js";
import { type By, Grouping } from "./grouping.js";
import { compilePatterns, type Pattern, patternsText } from "./pattern.js";
import { captionsOf, framesOf, type TextSource, textsOf, timesOf, withStep } from "./textSource.js";

const MAX_ROWS = 1_000_000;
const TOO_MANY = ["they match more than 1,000,000 times", "Give a rarer phrase, or count with rates(…)."] as const;
/** A window has at most this many characters per word, because captions may lack spaces. */
const WORD_LENGTH = 40;

/**
 * Shows keywords in context: one row per match, with the words before and after it.
 *
 * A phrase matches whole words, as `terms` counts them: `1 trillion` is not in `$2.1 TRILLION`. Capitals, accents, apostrophes, hyphens and
 * line breaks do not count, and `*` stands for the rest of a word. No match crosses the end of a clause, a turn (`>>`) or a sound note
 * (`[APPLAUSE]`). A regular expression sees the caption as it is, in Unicode's composed form (NFC).
 *
 * @param patterns a phrase, a regular expression, or several
 * @param options `window`: words of context on each side, default 8; `by`: columns or periods to add to each row
 * @returns `id`, `begintime`, `person`, the columns of `by`, `pattern`, `left`, `keyword`, `right`, and `offset`: where the keyword begins
 * in `text` (NFC), in UTF-16 units. Rows are in the order of the source, by pattern and offset
 * @throws ValidationError for a regular expression that backtracks for seconds, and for more than a million matches
 * @example
 * const frame = await archive.mentions("climate", { maxItems: 500 });
 * await kwic(frame, ["climate change", /\bcarbon (tax|price)/i], { window: 5 });
 */
export async function kwic(
  source: TextSource,
  patterns: Pattern | readonly Pattern[],
  options: { window?: number | undefined; by?: By | undefined } = {},
): Promise<PolarsFrame> {
  const { window = 8, by } = checkedOptions(options, ["window", "by"], "option of kwic");
  nonNegativeInteger("window", window, 8);
  const compiled = compilePatterns(patterns);
  const grouping = new Grouping(by);
  const lines: Record<string, unknown>[] = [];
  const lineGroups: number[] = [];
  for await (const frame of framesOf(source)) {
    const captions = captionsOf(frame);
    const groups = grouping.indexes(frame);
    const matches: { row: number; pattern: number; start: number; end: number }[] = [];
    for (const [pattern, { find }] of compiled.entries())
      find(captions, (row, start, end) => {
        if (lines.length + matches.length >= MAX_ROWS) throw faulty("patterns", ...TOO_MANY);
        matches.push({ row, pattern, start, end });
      });
    matches.sort((a, b) => a.row - b.row || a.pattern - b.pattern || a.start - b.start);
    const [ids, people, times] = [textsOf(frame, "id"), textsOf(frame, "person"), timesOf(frame)];
    for (const { row, pattern, start, end } of matches) {
      const text = captions.texts[row] as string;
      lineGroups.push(groups[row] as number);
      lines.push({
        id: ids[row],
        begintime: times[row],
        person: people[row],
        pattern: compiled[pattern]?.name,
        left: before(text, start, window),
        keyword: oneLine(text.slice(start, end)),
        right: after(text, end, window),
        offset: start,
      });
    }
  }
  const result = resultFrame([
    ...columnsOf(lines, pl.Utf8, "id"),
    ...columnsOf(lines, TIMESTAMP, "begintime"),
    ...columnsOf(lines, pl.Utf8, "person"),
    ...grouping.columns(lineGroups).filter(({ name }) => !["id", "begintime", "person"].includes(name)),
    ...columnsOf(lines, pl.Utf8, "pattern", "left", "keyword", "right"),
    ...columnsOf(lines, pl.Int64, "offset"),
  ]);
  return withStep(source, result, "kwic", `searched for ${patternsText(patterns)}`);
}

function before(text: string, start: number, window: number): string {
  const context = text.slice(Math.max(0, start - window * WORD_LENGTH), start);
  return window === 0 ? "" : wordsOf(context).slice(-window).join(" ");
}

function after(text: string, end: number, window: number): string {
  return wordsOf(text.slice(end, end + window * WORD_LENGTH))
    .slice(0, window)
    .join(" ");
}

function wordsOf(text: string): string[] {
  return oneLine(text)
    .split(" ")
    .filter((word) => word !== "");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
