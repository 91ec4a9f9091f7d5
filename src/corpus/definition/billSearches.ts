import { boolean, checkedOptions } from "../../errors/validators.js";
import { ENGINES, engines } from "../../frames/engine.js";
import type { FrameEngine } from "../../frames/frameEngine.js";
import { toRecords } from "../../frames/toRecords.js";
import { operations } from "../../service/operations/operations.js";
import {
  type BillPlan,
  billText,
  checkVideotypes,
  planBill,
  searchesFor,
  titlesOf,
} from "../../speeches/planSpeeches.js";
import type { BillQuery, BillRowLike } from "../../speeches/speechesOptions.js";
import { splitArguments } from "../../speeches/splitArguments.js";
import type { DanfoFrame, PolarsFrame } from "../../util/frameTypes.js";
import { csvRows } from "./csvRows.js";
import { type CorpusSearch, searchId } from "./search.js";

/**
 * Bills: a list, a frame of `archive.bills(…)`, or the path of a CSV file with the columns of either: `title`, `number` and `congress`, or
 * `billtitle`, `billnumber` and `congress`.
 */
export type CorpusBills = ReadonlyArray<BillQuery | BillRowLike> | PolarsFrame | DanfoFrame | string;

const HINT =
  'Give the path of a CSV file with the columns title or number, and congress; or a list, for example [{ number: "H.R. 5376", congress: 117 }].';

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
 * is spoken, as in `archive.speechesOnBill`. Each has the labels `bill` and `form`; a search that several bills share names them all.
 *
 * The searches find more than speeches on the bills. `corpus.speechesOnBills` judges what they have found.
 *
 * @param bills see {@link CorpusBills}
 * @param options see {@link BillSearchOptions}
 * @throws ValidationError for a bill without title and number
 * @example
 * searchesOfBills([{ title: "CHIPS Act", congress: 117 }])[0];
 * //=> { query: '"CHIPS Act"', videotype: "Speech", mindate: "2021-01-03", maxdate: "2023-01-03", bill: "CHIPS Act, 117th Congress", form: "title" }
 */
export function searchesOfBills(bills: CorpusBills, options?: BillSearchOptions): CorpusSearch[] {
  const searches = new Map<string, CorpusSearch & { bill: string }>();
  for (const { text, parameters, forms } of planBills(bills, options)) {
    for (const [at, own] of parameters.entries()) {
      const id = searchId(own);
      const known = searches.get(id);
      if (known !== undefined) known.bill += `; ${text}`;
      else searches.set(id, { ...(own as { query: string }), bill: text, form: forms[at] as string });
    }
  }
  return [...searches.values()];
}

/** The searches of a corpus for one bill. */
export interface PlannedBill {
  /** `Inflation Reduction Act, H.R. 5376, 117th Congress` */
  readonly text: string;
  readonly plan: BillPlan;
  /** The parameters of each search, and the form of its query. */
  readonly parameters: ReadonlyArray<Readonly<Record<string, string>>>;
  readonly forms: readonly string[];
}

/** Plans the searches for bills. Queries that depend on what others find are among them: what they find is judged afterwards. */
export function planBills(bills: CorpusBills, options?: BillSearchOptions): PlannedBill[] {
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
  const { bills: list } = splitArguments(rowsOf(bills), undefined);
  const vocabulary = titlesOf(list);
  return list.map((bill): PlannedBill => {
    const plan = planBill(bill, { videotypes, shortTitles, vocabulary, ...dates });
    const searches = [...plan.searches, ...searchesFor(plan.later, videotypes, plan)];
    return {
      text: billText(plan.bill),
      plan,
      parameters: searches.map(({ request }) => Object.fromEntries(request.query)),
      forms: searches.map(({ form }) => form),
    };
  });
}

function rowsOf(bills: CorpusBills): readonly unknown[] {
  if (typeof bills === "string") return csvRows("bills", bills, HINT);
  const isFrame = ENGINES.some((name) => (engines[name] as FrameEngine<unknown>).isFrame(bills));
  return isFrame ? toRecords(bills as PolarsFrame) : [bills].flat();
}
