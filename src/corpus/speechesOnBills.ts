import { checkedOptions, invalid } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { toRecords } from "../frames/toRecords.js";
import type { Row } from "../service/operations/rows.js";
import { captionReader, type JudgedSpeech, judgeSpeeches } from "../speeches/judgeSpeeches.js";
import { checkConfidence, MIN_CONFIDENCE } from "../speeches/planSpeeches.js";
import { type BillSearchOptions, type PlannedBill, planBills } from "./definition/billSearches.js";
import { readDefinition } from "./definition/definitionFile.js";
import type { CorpusBills } from "./definition/readBills.js";
import { searchId } from "./definition/search.js";
import { hits, mentions } from "./tables/corpusTables.js";

/** Options of `corpus.speechesOnBills`. Those of the searches have to be those of `searchesOfBills`. */
export interface SpeechesOnBillsOptions extends BillSearchOptions {
  /** Passages with less confidence are not on the bill. 0 to 1. Default 0.5. */
  minConfidence?: number | undefined;
}

/** Judges the mentions that the searches for some bills have found, each by its own text. */
export async function speechesOnBills(
  dir: string,
  bills: CorpusBills,
  given?: SpeechesOnBillsOptions,
): Promise<PolarsFrame> {
  const { minConfidence = MIN_CONFIDENCE, ...options } = checkedOptions(
    given,
    ["minConfidence", "videotypes", "mindate", "maxdate", "shortTitles"],
    "option of speechesOnBills",
  ) as SpeechesOnBillsOptions;
  const least = checkConfidence(minConfidence);
  const known = new Set(readDefinition(dir)?.searches.map(({ id }) => id));
  const captionOf = captionReader();
  const rows: BillPassage[] = [];
  for (const bill of planBills(bills, options)) {
    if (!bill.parameters.every((own) => known.has(searchId(own))))
      throw invalid(
        "bills",
        bill.text,
        "The corpus does not have all searches for this bill. Open it with searches: searchesOfBills(bills), and build it.",
      );
    rows.push(...(await passagesOf(dir, bill, captionOf, least)));
  }
  return toFrame(rows);
}

interface BillPassage {
  readonly bill: string;
  readonly row: Row;
  readonly isOn: boolean;
  readonly judgement: JudgedSpeech["judgement"];
}

async function passagesOf(
  dir: string,
  { text, plan, parameters, forms }: PlannedBill,
  captionOf: ReturnType<typeof captionReader>,
  minConfidence: number,
): Promise<BillPassage[]> {
  const ids = parameters.map(searchId);
  // polars takes an empty list for one of numbers.
  const given = ["", ...ids.filter((_id, at) => forms[at] === "given")];
  const found = hits(dir)
    .filter(pl.col("search").isIn(ids).and(pl.col("vanished").isNull()))
    .select("id", pl.col("search").isIn(given).alias("is_given"))
    .groupBy("id")
    .agg(pl.col("is_given").max());
  const frame = await mentions(dir).join(found, { on: "id", how: "inner" }).sort(["begintime", "id"]).collect();
  const speeches = toRecords(frame).map(({ is_given: isGiven, begintime, ...members }, at) => {
    const row = { ...members, begintime: begintime instanceof Date ? begintime.toISOString() : null } as Row;
    return { row, videotype: "", variants: [], search: at, isGiven: isGiven === true, isWide: false };
  });
  const { kept, rejected } = judgeSpeeches({ speeches }, plan.judged, captionOf, { minConfidence });
  const passage =
    (isOn: boolean) =>
    ({ row, judgement }: JudgedSpeech) => ({ bill: text, row, isOn, judgement });
  return [...kept.map(passage(true)), ...rejected.map(passage(false))];
}

function toFrame(rows: readonly BillPassage[]): PolarsFrame {
  const texts = (name: string, of: (row: BillPassage) => unknown) =>
    pl.Series(
      name,
      rows.map((row) => of(row) ?? null),
      pl.String,
    );
  return pl.DataFrame([
    texts("bill", ({ bill }) => bill),
    texts("id", ({ row }) => row.id),
    pl.Series(
      "on_bill",
      rows.map(({ isOn }) => isOn),
      pl.Bool,
    ),
    texts("matched_by", ({ judgement }) => judgement.matchedBy),
    pl.Series(
      "confidence",
      rows.map(({ judgement }) => judgement.confidence),
      pl.Float64,
    ),
    texts("conflicts", ({ judgement }) => judgement.conflicts.join("; ") || null),
    texts("snippet", ({ judgement }) => judgement.snippet),
  ]);
}
