import { boolean, checkedOptions } from "../../errors/validators.js";
import { operations } from "../../service/operations/operations.js";
import { splitArguments } from "../../speeches/givenBill.js";
import {
  type BillPlan,
  billText,
  checkVideotypes,
  planBill,
  searchesFor,
  titlesOf,
} from "../../speeches/planSpeeches.js";
import { TITLE_STEM } from "../../speeches/queryVariants.js";
import { groupBy } from "../../util/groupBy.js";
import { type CorpusBills, type LabelledBill, readBills } from "./readBills.js";
import { aboutRow } from "./rows.js";
import { type CorpusSearch, searchId } from "./search.js";

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
export interface PlannedBill {
  /** `Inflation Reduction Act, H.R. 5376, 117th Congress` */
  readonly text: string;
  readonly plan: BillPlan;
  readonly searches: ReadonlyArray<{
    readonly id: string;
    readonly parameters: Readonly<Record<string, string>>;
    /** The form of the query. */
    readonly form: string;
  }>;
  /** What the bill has besides title, number and Congress. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Plans the searches for bills. Queries that depend on what others find are among them: what they find is judged afterwards. */
export async function planBills(bills: CorpusBills, options?: BillSearchOptions): Promise<PlannedBill[]> {
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
