import { checkedOptions, invalid } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { toRecords } from "../frames/toRecords.js";
import type { Row } from "../service/operations/rows.js";
import { BillJudge, captionReader } from "../speeches/judgeSpeeches.js";
import { checkConfidence, MIN_CONFIDENCE } from "../speeches/planSpeeches.js";
import { type BillSearchOptions, type PlannedBill, planBills } from "./definition/billSearches.js";
import { readDefinition } from "./definition/definition.js";
import type { CorpusBills } from "./definition/readBills.js";
import { corpusTable } from "./publish/tableFiles.js";

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
  const rows: Array<Awaited<ReturnType<typeof passagesOf>>[number]> = [];
  for (const bill of await planBills(bills, options)) {
    if (!bill.searches.every(({ id }) => known.has(id)))
      throw invalid(
        "bills",
        bill.text,
        "The corpus does not have all searches for this bill. Open it with searches: await searchesOfBills(bills), and build it.",
      );
    rows.push(...(await passagesOf(dir, bill, captionOf, least)));
  }
  return resultFrame([
    ...columnsOf(rows, pl.String, "bill", "id"),
    ...columnsOf(rows, pl.Bool, "on_bill"),
    ...columnsOf(rows, pl.String, "matched_by"),
    ...columnsOf(rows, pl.Float64, "confidence"),
    ...columnsOf(rows, pl.String, "conflicts", "snippet"),
  ]);
}

async function passagesOf(
  dir: string,
  { text, plan, searches }: PlannedBill,
  captionOf: ReturnType<typeof captionReader>,
  minConfidence: number,
) {
  const ids = searches.map(({ id }) => id);
  // polars takes an empty list for one of numbers.
  const given = ["", ...searches.filter(({ form }) => form === "given").map(({ id }) => id)];
  const found = corpusTable(dir, "hits")
    .filter(pl.col("search").isIn(ids).and(pl.col("vanished").isNull()))
    .select("id", pl.col("search").isIn(given).alias("is_given"))
    .groupBy("id")
    .agg(pl.col("is_given").max());
  const frame = await corpusTable(dir, "mentions")
    .join(found, { on: "id", how: "inner" })
    .sort(["begintime", "id"])
    .collect();
  const speeches = toRecords(frame).map(({ is_given: isGiven, begintime, ...members }) => {
    const row = { ...members, begintime: begintime instanceof Date ? begintime.toISOString() : null } as Row;
    return { row, isGiven: isGiven === true, isWide: false };
  });
  const { kept, rejected } = new BillJudge(plan.judged, minConfidence, captionOf).judge(speeches);
  return [...kept, ...rejected].map(({ row, judgement: { matchedBy, confidence, conflicts, snippet } }, at) => {
    const judged = { matched_by: matchedBy, confidence, conflicts: conflicts.join("; ") || null, snippet };
    return { bill: text, id: row.id, on_bill: at < kept.length, ...judged };
  });
}
