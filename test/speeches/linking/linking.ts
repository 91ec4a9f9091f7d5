/**
 * Measures how well a method links speeches to bills, against the truth of the embedded archive. The benchmark and the tests share
 * it. A method gets what a caller knows about a bill and returns the ids of the mentions that it finds.
 */
import { type BillTruth, type SpeechScore, type SpeechTruth, scoreSpeeches } from "../../tools/truth.js";

/** A bill as a caller gives it. */
export type GivenBill =
  | { readonly title?: string; readonly number?: string; readonly congress: number }
  | NonNullable<BillTruth["row"]>;

/** One bill to find, and what counts as found. */
export interface LinkingTask {
  readonly given: GivenBill;
  readonly bill: { readonly speeches: readonly SpeechTruth[] };
  /** Mentions that are neither right nor wrong, because what is given does not decide about them. */
  readonly ignored: ReadonlySet<string>;
}

/** What a method found for a bill. */
export interface Finding {
  readonly ids: readonly string[];
  readonly requests: number;
}

/** A task and what was found. */
export interface LinkingResult extends Finding {
  readonly task: LinkingTask;
}

/** The figures of a method. */
export interface LinkingFigures extends SpeechScore {
  readonly bills: number;
  readonly requestsPerBill: number;
}

const NONE: ReadonlySet<string> = new Set();

/** Title, number and Congress. Amendments have only a number. */
export function byTitleAndNumber(bills: readonly BillTruth[]): LinkingTask[] {
  return bills.map((bill) => {
    const { title, number, congress } = bill;
    return { given: title === "" ? { number, congress } : { title, number, congress }, bill, ignored: NONE };
  });
}

/** The row of GET /bills. */
export function byRow(bills: readonly BillTruth[]): LinkingTask[] {
  return bills.flatMap((bill) => (bill.row === null ? [] : { given: bill.row, bill, ignored: NONE }));
}

/** The title alone. It cannot tell companions apart, nor from a bill of the same title with another number. */
export function byTitle(bills: readonly BillTruth[]): LinkingTask[] {
  const known = new Set<string>();
  return bills.flatMap(({ title, congress }) => {
    const key = `${congress} ${title}`;
    if (title === "" || known.has(key)) return [];
    known.add(key);
    const same = bills.filter((bill) => bill.title === title && bill.congress === congress);
    const speeches = same.flatMap((bill) => bill.speeches);
    const otherNumbers = same.flatMap((bill) => bill.decoys).filter(({ why }) => why === "other number");
    const ignored = [...speeches.filter(({ named }) => named === "number"), ...otherNumbers].map(({ id }) => id);
    const named = new Map(speeches.filter(({ named }) => named !== "number").map((speech) => [speech.id, speech]));
    return { given: { title, congress }, bill: { speeches: [...named.values()] }, ignored: new Set(ignored) };
  });
}

/** The number alone. */
export function byNumber(bills: readonly BillTruth[]): LinkingTask[] {
  return bills.map(({ number, congress, speeches }) => {
    const hasNumber = ({ named }: SpeechTruth) => named === "number" || named === "both";
    const others = speeches.filter((speech) => !hasNumber(speech)).map(({ id }) => id);
    return { given: { number, congress }, bill: { speeches: speeches.filter(hasNumber) }, ignored: new Set(others) };
  });
}

/** Runs a method on tasks, one after another. */
export async function link(
  tasks: readonly LinkingTask[],
  method: (given: GivenBill) => Promise<Finding>,
): Promise<LinkingResult[]> {
  const results: LinkingResult[] = [];
  for (const task of tasks) results.push({ task, ...(await method(task.given)) });
  return results;
}

/** The figures of a method. */
export function figuresOf(results: readonly LinkingResult[]): LinkingFigures {
  const score = scoreSpeeches(
    results.map(({ task, ids }) => ({ bill: task.bill, ids: ids.filter((id) => !task.ignored.has(id)) })),
  );
  const requests = results.reduce((sum, result) => sum + result.requests, 0);
  return { ...score, bills: results.length, requestsPerBill: requests / Math.max(1, results.length) };
}

/** The same results without the easy speeches: what is hard to find, and what is wrong. */
export function hardOf(results: readonly LinkingResult[]): LinkingResult[] {
  return results.map(({ task, ids, requests }) => {
    const isHard = ({ hard }: SpeechTruth) => hard.length > 0;
    const easy = task.bill.speeches.filter((speech) => !isHard(speech)).map(({ id }) => id);
    const speeches = task.bill.speeches.filter(isHard);
    return { task: { ...task, bill: { speeches }, ignored: new Set([...task.ignored, ...easy]) }, ids, requests };
  });
}

/** What was missed, by hard case, and what was found wrongly, by reason. For whoever improves a method. */
export function mistakesOf(results: readonly LinkingResult[], bills: readonly BillTruth[]): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (kind: string) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };
  const decoys = new Map(bills.flatMap((bill) => bill.decoys.map(({ id, why }) => [id, why] as const)));
  for (const { task, ids } of results) {
    const found = new Set(ids);
    const right = new Set(task.bill.speeches.map(({ id }) => id));
    for (const { id, hard, named, videotype } of task.bill.speeches) {
      if (found.has(id) || (videotype !== "Speech" && videotype !== "Debate")) continue;
      add(`missed ${named}: ${hard.join(", ") || "easy"}`);
    }
    for (const id of found)
      if (!right.has(id) && !task.ignored.has(id)) add(`wrong: ${decoys.get(id) ?? "another bill"}`);
  }
  return Object.fromEntries(Object.entries(counts).sort(([, a], [, b]) => b - a));
}
