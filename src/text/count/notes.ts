import { faulty, invalid } from "../../errors/validators.js";
import { warnOnce } from "../../errors/warn.js";
import { queriesOf } from "../../frames/lineage/derived.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { NOT_FINISHED, type Provenance } from "../../service/paging/provenanceRecorder.js";
import { formatCount, quoted } from "../../util/text.js";
import { Captions } from "../read/captions.js";
import type { CompiledPattern } from "../read/pattern.js";
import { textsOf } from "../read/textSource.js";
import { stopwords } from "../read/tokens.js";

const TEXT_SEARCHES = new Set(["mentions", "speechesOnBill"]);

/** The query of a text search; undefined for other operations. */
function textQuery({ operation, parameters }: Provenance): string | undefined {
  return TEXT_SEARCHES.has(operation) ? (parameters.query ?? "a bill") : undefined;
}

/**
 * Checks the baseline of rates.
 *
 * @throws ValidationError for the rows of a text search without a baseline, because they are not a sample of all speech
 */
export function checkBaseline(baseline: unknown, provenance: Provenance | undefined, verb: string): void {
  const sample = `${verb}(await archive.sample("mentions", "the", { rows: 2000, pages: 100 }), …, { baseline: "own rows" })`;
  if (baseline !== undefined && baseline !== "own rows")
    throw invalid("baseline", baseline, `Give "own rows", and as the source all speech or a sample of it: ${sample}.`);
  const query = queriesOf(provenance, textQuery);
  if (baseline !== undefined || query === undefined) return;
  const hint = `With baseline: "own rows", rates are shares of the rows that this search found, not of all speech. For all speech, count a sample of it: ${sample}.`;
  throw faulty("baseline", `there is none, and the rows were found by a search for ${quoted(query)}`, hint);
}

/** Warns once if a pattern is a word of the search: then nearly every row has it. */
export function warnOfPatternBias(
  provenance: Provenance | undefined,
  patterns: readonly CompiledPattern[],
  verb: string,
): void {
  const query = queriesOf(provenance, textQuery) ?? "";
  const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  const isSearched = patterns.some(({ name, find }) => {
    let isMatch = wordsOf(query).some((word) => wordsOf(name).includes(word));
    find(new Captions([query]), () => {
      isMatch = true;
    });
    return isMatch;
  });
  if (isSearched) warnOfTermBias(provenance, verb);
  else warnOfCap(provenance, verb);
}

let stops: ReadonlySet<string> | undefined;

/**
 * Warns once if the rows of a text search are counted as if they were all speech. A search for a stopword is exempt: nearly every passage
 * contains "the". Otherwise warns of an incomplete result.
 */
export function warnOfTermBias(provenance: Provenance | undefined, verb: string): void {
  stops ??= new Set(stopwords());
  const query = queriesOf(provenance, (source) => {
    const text = textQuery(source);
    return stops?.has(text?.toLowerCase() ?? "") ? undefined : text;
  });
  if (query === undefined) warnOfCap(provenance, verb);
  else
    warnOnce(
      "CHOSEN_ROWS",
      `${verb} counts rows that were found by searching for ${quoted(query)}, so its words are frequent in them. Compare with rows of another search, or leave its words out.`,
    );
}

function warnOfCap(provenance: Provenance | undefined, verb: string): void {
  // A complete result with a reason began at a later page, so it lacks the first rows.
  if (provenance === undefined || (provenance.verdict === "complete" && provenance.reason === null)) return;
  // Whoever stops reading the batches of a scan knows that it is incomplete.
  if (provenance.reason === "sample" || provenance.reason === NOT_FINISHED) return;
  const { rows, verdict, reason } = provenance;
  const what = `${verb} counts ${formatCount(rows)} rows of a result that is ${verdict} (${reason ?? "no reason"})`;
  warnOnce("INCOMPLETE_ROWS", `${what}: others are missing. Raise maxItems until its verdict is complete.`);
}

/** Warns once if rows have no length: rates per hour leave them out. */
export function warnOfNoLength(without: number, rows: number, verb: string): void {
  if (without === 0) return;
  const what = `${formatCount(without)} of ${formatCount(rows)} rows have no length`;
  warnOnce("NO_LENGTH", `${verb}: ${what}, and are left out of rates per hour.`);
}

/** Warns from this share of repeated rows on. Shorter rows may be equal by chance. */
const [MIN_REPEATED, MIN_WORDS] = [0.01, 8];

/** Warns once if rows repeat an earlier one of the same speaker word for word. */
export function warnOfRepeatedRows(frame: PolarsFrame, { spoken }: Captions, verb: string): void {
  const speakers = textsOf(frame, "personid");
  const isLong = (text: string | null) => text !== null && text.split(" ", MIN_WORDS).length === MIN_WORDS;
  const keys = spoken.flatMap((text, row) => (isLong(text) ? `${speakers[row]} ${text}` : []));
  const repeated = keys.length - new Set(keys).size;
  if (repeated < Math.max(1, MIN_REPEATED * frame.height)) return;
  const what = `${formatCount(repeated)} of ${formatCount(frame.height)} rows repeat another one of the same speaker word for word`;
  warnOnce("REPEATED_ROWS", `${verb}: ${what}, as re-airings do. once: true counts each speech once.`);
}
