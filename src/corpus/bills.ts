import { boolean, checkedOptions, invalid } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { toRecords } from "../frames/toRecords.js";
import { operations } from "../service/operations/operations.js";
import type { Row } from "../service/operations/rows.js";
import { billInTable, splitArguments } from "../speeches/givenBill.js";
import { BillJudge, captionReader } from "../speeches/judgeSpeeches.js";
import {
  type BillPlan,
  billText,
  checkConfidence,
  checkVideotypes,
  MIN_CONFIDENCE,
  planBill,
  searchesFor,
  titlesOf,
} from "../speeches/planSpeeches.js";
import { TITLE_STEM } from "../speeches/queryVariants.js";
import type { BillQuery, BillRowLike } from "../speeches/speechesOptions.js";
import { groupBy } from "../util/groupBy.js";
import { isPlainObject } from "../util/isObject.js";
import { readDefinition } from "./definition/definition.js";
import { aboutRow, labelsOf, tableRows } from "./definition/rows.js";
import { type CorpusSearch, searchId } from "./definition/searches.js";
import { corpusTable } from "./publish/tableFiles.js";

/**
 * A bill with labels of your own.
 *
 * @example
 * const bill: CorpusBill = { congress: 117, type: "hr", number: 5376, topic: "climate" };
 */
export interface CorpusBill {
  /** The title. It is searched as a phrase: "Inflation Reduction Act". */
  title?: string | null | undefined;
  /** The number with its prefix, in any spelling: "H.R. 5376", "hr5376". With a type, digits are enough. */
  number?: string | number | null | undefined;
  /** What the number is: hr, s, hres, sres, hjres, sjres, hconres, sconres, hamdt or samdt. */
  type?: string | null | undefined;
  /** The Congress, 117 or "117th". It limits the days. Default: every day. */
  congress?: number | string | null | undefined;
  /** A label of your own. */
  readonly [label: string]: unknown;
}

/**
 * Bills: a list, a frame of `archive.bills(…)`, or the path of a CSV file with the columns of either: `title`, `number` and `congress`, or
 * `billtitle`, `billnumber` and `congress`. With a column `type` ("hr", "sjres"), the number may be digits alone. Any other column is kept
 * as a label.
 */
export type CorpusBills = ReadonlyArray<BillQuery | BillRowLike | CorpusBill> | PolarsFrame | string;

interface LabelledBill {
  readonly bill: unknown;
  readonly labels: Readonly<Record<string, string>>;
}

const GIVE =
  'the path of a CSV file with the columns title or number, and congress; or a list, for example [{ number: "H.R. 5376", congress: 117 }].';
const ADD =
  "Add a line for each bill; below the header title,number,congress for example: Inflation Reduction Act,H.R. 5376,117.";

/** Columns that the searches for a bill already have. */
const OF_SEARCHES: readonly string[] = [...Object.keys(operations.mentions.parameters), "bill", "form"];

/**
 * Reads bills and their labels.
 *
 * @throws ValidationError for a column that is misspelled, or that the searches for bills already have
 */
async function readBills(given: CorpusBills): Promise<LabelledBill[]> {
  const rows = await tableRows("bills", given, GIVE, ADD);
  if (typeof given === "string") checkColumns(given, rows[0] as object);
  return rows.map((row, at) => {
    if (!isPlainObject(row)) return { bill: row, labels: {} };
    const { bill, own } = billInTable(row);
    return { bill, labels: aboutRow("bill", at, row, () => labelsOf(row, own, checkLabel)) };
  });
}

function checkLabel(name: string): void {
  if (OF_SEARCHES.includes(name))
    throw invalid("label", name, "The searches for bills have a column of this name. Give it another one.");
}

function checkColumns(path: string, first: object): void {
  const hints = {
    query:
      "It looks like a list of searches: it has the column query. Give it to openCorpus as searches, or leave out --bills on the command line.",
    variants:
      "A cell cannot hold a list: leave the column variants out. For queries of your own, give a list of bills.",
  };
  for (const [column, hint] of Object.entries(hints)) if (column in first) throw invalid("bills", path, hint);
}

/** Options of {@link searchesOfBills}. */
export interface BillSearchOptions {
  /** The video types to search. Default `["Speech", "Debate"]`. */
  videotypes?: readonly string[] | undefined;
  /** First day of the mentions, yyyy-mm-dd. Replaces the dates of the Congress. Default: those of the Congress. */
  mindate?: string | undefined;
  /** Last day of the mentions, yyyy-mm-dd. Replaces the dates of the Congress. Default: those of the Congress. */
  maxdate?: string | undefined;
  /** Search titles of one word, too. Default false. */
  shortTitles?: boolean | undefined;
}

/**
 * Searches for what was said about some bills, for {@link openCorpus}: the title as a phrase, and the number in the forms in which it
 * is spoken, as in `archive.speechesOnBill`. Each has the labels `bill` and `form`, and those of its bill; a search that several bills share
 * has those of all, separated by semicolons.
 *
 * The searches find more than speeches on the bills. `corpus.speechesOnBills` judges what they have found.
 *
 * @param bills see {@link CorpusBills}
 * @param options see {@link BillSearchOptions}
 * @throws ValidationError for a bill without title and number, or with a label that is like one of their names
 * @example
 * (await searchesOfBills([{ title: "CHIPS Act", congress: 117 }]))[0];
 * //=> { query: '"CHIPS Act"', videotype: "Speech", mindate: "2021-01-03", maxdate: "2023-01-02", bill: "CHIPS Act, 117th Congress", form: "title" }
 */
export async function searchesOfBills(bills: CorpusBills, options?: BillSearchOptions): Promise<CorpusSearch[]> {
  const all = (await planBills(bills, options)).flatMap(({ text, searches, labels }) =>
    searches.map(({ id, parameters, form }) => ({ id, parameters, labels: { bill: text, form, ...labels } })),
  );
  return [...groupBy(all, ({ id }) => id).values()].map((shared) => {
    const labels = groupBy(
      shared.flatMap((search) => Object.entries(search.labels)),
      ([name]) => name,
    );
    const texts = [...labels].map(([name, pairs]) => [name, [...new Set(pairs.map(([, text]) => text))].join("; ")]);
    return { ...(shared[0]?.parameters as { query: string }), ...Object.fromEntries(texts) };
  });
}

/** The searches of a corpus for one bill. */
interface PlannedBill {
  /** `Inflation Reduction Act, H.R. 5376, 117th Congress` */
  readonly text: string;
  readonly plan: BillPlan;
  readonly searches: ReadonlyArray<{
    readonly id: string;
    readonly parameters: Readonly<Record<string, string>>;
    readonly form: string;
  }>;
  /** What the bill has besides title, number and Congress. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Plans the searches for bills. Queries that depend on what others find are among them: what they find is judged afterwards. */
async function planBills(bills: CorpusBills, options?: BillSearchOptions): Promise<PlannedBill[]> {
  const { mindate, maxdate, ...given } = checkedOptions(
    options,
    ["videotypes", "mindate", "maxdate", "shortTitles"],
    "option of searchesOfBills",
  ) as BillSearchOptions;
  const videotypes = checkVideotypes(given.videotypes);
  const shortTitles = given.shortTitles === undefined ? false : boolean("shortTitles", given.shortTitles);
  const { date } = operations.mentions.parameters;
  const dates = {
    mindate: mindate === undefined ? undefined : date.check("mindate", mindate),
    maxdate: maxdate === undefined ? undefined : date.check("maxdate", maxdate),
  };
  const read = await readBills(bills);
  const { bills: list } = splitArguments(
    read.map(({ bill }) => bill),
    undefined,
  );
  const vocabulary = titlesOf(list);
  return list.map((bill, at): PlannedBill => {
    const settings = { videotypes, shortTitles, vocabulary, combineTypes: false, ...dates };
    const { bill: row, labels } = read[at] as LabelledBill;
    const plan = aboutRow("bill", at, { ...(row as object), ...labels }, () => planBill(bill, settings));
    // Without an Act, a title may be a common phrase: what it would find besides is searched by itself.
    const variants = plan.variants.filter(({ form }) => form !== TITLE_STEM);
    const searches = searchesFor(variants, plan).map(({ request, form }) => {
      const parameters = Object.fromEntries(request.query);
      return { id: searchId(parameters), parameters, form };
    });
    return { text: billText(plan.bill), plan, searches, labels };
  });
}

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
