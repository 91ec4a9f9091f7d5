import { faulty } from "../../errors/validators.js";
import { warn, warnOnce } from "../../errors/warn.js";
import { isPolarsFrame } from "../../frames/engine.js";
import { queriesOf } from "../../frames/lineage/derived.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { formatCount } from "../../util/counts.js";
import { quoted } from "../../util/quoted.js";
import { Captions } from "../captions.js";
import type { CompiledPattern } from "../pattern.js";
import { textsOf } from "../source/columns.js";
import { readProvenance, type TextSource } from "../source/textSource.js";
import { stopwords } from "../stopwords.js";

/** Operations whose rows are chosen for what they say. */
const TEXT_SEARCHES = new Set(["mentions", "speechesOnBill"]);

/** The queries of the text searches that rows come from; undefined if there are none, or for a frame of unknown origin. */
export function queryOf(frame: object): string | undefined {
  return queriesOf(provenanceOf(frame), searchedText);
}

function searchedText({ operation, parameters }: Provenance): string | undefined {
  return TEXT_SEARCHES.has(operation) ? (parameters.query ?? "a bill") : undefined;
}

/** @throws ValidationError for the rows of a text search: they are no sample of all speech */
export function refuseSearch(frame: object): void {
  const query = queryOf(frame);
  if (query === undefined) return;
  const hint =
    'Give baseline: all speech that they are a part of, or baseline: "own rows" for rates within the rows found.';
  throw faulty("source", `the rows of a search for ${quoted(query)}, chosen for what they say`, hint);
}

/** @throws ValidationError for a baseline that is the same search as the source */
export function refuseSameSearch(baseline: object, query: string | undefined): void {
  if (query === undefined || queryOf(baseline) !== query) return;
  const hint = 'Give all speech that the source is a part of, or baseline: "own rows" for rates within the rows found.';
  throw faulty("baseline", `the same search for ${quoted(query)}`, hint);
}

/** @throws ValidationError for a result that lacks rows: matches and denominators would be of different speech */
export function refuseIncomplete(result: object, name: "source" | "baseline"): void {
  const provenance = provenanceOf(result);
  if (provenance === undefined || isWhole(provenance) || provenance.reason === "sample") return;
  const hint = "Raise maxItems until its verdict is complete, or filter both to dates that they cover.";
  throw faulty(name, `it is ${provenance.verdict} (${provenance.reason ?? "no reason"}), not complete`, hint);
}

/** @throws ValidationError if only one of both is a sample: matches and denominators would be of different shares of all speech */
export function refuseOneSample(source: TextSource, baseline: TextSource): void {
  const isSample = (of: TextSource) => {
    const provenance = readProvenance(of);
    if (provenance === undefined) return false;
    return provenance.sample !== undefined || provenance.steps?.some(({ verb }) => verb === "sampleRows") === true;
  };
  if (isSample(source) === isSample(baseline)) return;
  const what = isSample(source)
    ? "it is all speech, and the source is a sample"
    : "it is a sample, and the source is not";
  throw faulty("baseline", what, 'Count within the sample: rates(sample, patterns, { baseline: "own rows" }).');
}

/**
 * Warns that rows are not in the baseline.
 *
 * @throws ValidationError if none is: the baseline is other speech, or has other ids
 */
export function warnOfRowsOutside(outside: number, rows: number): void {
  if (outside === 0) return;
  if (outside === rows)
    throw faulty("baseline", "it has none of the rows of the source", "Give all speech that the source is a part of.");
  const what = `${formatCount(outside)} of ${formatCount(rows)} rows are not in the baseline`;
  warn("NOT_IN_BASELINE", `${what} and are left out: they would count as matches, but not as speech.`);
}

/** Warns once that rows have no length, and so no part in rates per hour. */
export function warnOfNoLength(without: number, rows: number, verb: string): void {
  if (without === 0) return;
  const what = `${formatCount(without)} of ${formatCount(rows)} rows have no length`;
  warnOnce("NO_LENGTH", `${verb}: ${what}, and are left out of rates per hour.`);
}

/** Warns once if a pattern is among the words that were searched: "100 % of both parties" say it. */
export function warnOfSearchedWords(
  provenance: Provenance | undefined,
  patterns: readonly CompiledPattern[],
  verb: string,
): void {
  const query = queriesOf(provenance, searchedText) ?? "";
  const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  const words = new Set(wordsOf(query));
  const captions = new Captions([query]);
  const isSearched = ({ name, find }: CompiledPattern) => {
    let isFound = wordsOf(name).some((word) => words.has(word));
    find(captions, () => {
      isFound = true;
    });
    return isFound;
  };
  if (patterns.some(isSearched)) warnOfChosenRows(provenance, verb);
}

let common: ReadonlySet<string> | undefined;

/**
 * Warns once that the rows of a text search are counted as if they were all speech. A search for a stopword stands for all speech: nearly
 * every passage has "the".
 */
export function warnOfChosenRows(provenance: Provenance | undefined, verb: string): void {
  common ??= new Set(stopwords());
  const query = queriesOf(provenance, (source) => {
    const text = searchedText(source);
    return common?.has(text?.toLowerCase() ?? "") ? undefined : text;
  });
  if (query === undefined) warnOfCap(provenance, verb);
  else
    warnOnce(
      "CHOSEN_ROWS",
      `${verb} counts the rows of a search for ${quoted(query)}, chosen for what they say: its words are frequent in them by construction. Compare with rows of another search, or leave its words out.`,
    );
}

export function warnOfCap(provenance: Provenance | undefined, verb: string): void {
  if (provenance === undefined || isWhole(provenance) || provenance.reason === "sample") return;
  const { rows, verdict, reason } = provenance;
  const what = `${verb} counts ${formatCount(rows)} rows of a result that is ${verdict} (${reason ?? "no reason"})`;
  warnOnce("INCOMPLETE_ROWS", `${what}: others are missing. Raise maxItems until its verdict is complete.`);
}

/** The least share of rows that repeat another one for a note, and the fewest words of them. */
const [MIN_REPEATED, MIN_WORDS] = [0.01, 8];

/** Counts the rows of a frame that repeat the words of an earlier one of the same speaker; of other sources, which may not fit in memory, none. */
export class RepeatedRows {
  readonly #seen = new Set<string>();
  #rows = 0;
  #repeated = 0;

  constructor(private readonly source: TextSource) {}

  add(frame: PolarsFrame, { spoken }: Captions): void {
    if (!isPolarsFrame(this.source)) return;
    const speakers = textsOf(frame, "personid");
    for (const [row, text] of spoken.entries()) {
      this.#rows++;
      if (text === null || text.split(" ", MIN_WORDS).length < MIN_WORDS) continue;
      const key = `${speakers[row]} ${text}`;
      if (this.#seen.has(key)) this.#repeated++;
      else this.#seen.add(key);
    }
  }

  warn(verb: string): void {
    if (this.#repeated < Math.max(1, MIN_REPEATED * this.#rows)) return;
    const what = `${formatCount(this.#repeated)} of ${formatCount(this.#rows)} rows repeat another one of the same speaker word for word`;
    warnOnce("REPEATED_ROWS", `${verb}: ${what}, as re-airings do. once: true counts each speech once.`);
  }
}

/** Whether a result has all rows of its search: one that is complete from a later page on lacks the first. */
function isWhole({ verdict, reason }: Provenance): boolean {
  return verdict === "complete" && reason === null;
}
