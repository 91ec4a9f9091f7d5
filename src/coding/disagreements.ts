import { checkedOptions, invalid, nonEmptyString, show } from "../errors/validators.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { columnsOf, resultFrame } from "../frames/resultFrame.js";
import { textsOf } from "../text/source/columns.js";
import { likeSource } from "../text/source/textSource.js";
import { groupBy } from "../util/groupBy.js";
import { isObject } from "../util/isObject.js";
import { type Codebook, checkCode } from "./codebook.js";
import { agreed, type Code, codebookOf, codesBy, codesFrame, variableOf } from "./codes.js";
import { rowsAt } from "./passages.js";

/** What was decided about a passage that coders coded differently. */
export interface Decision {
  /** The passage: what the column `row` has, as any row of a frame gives it. */
  readonly row: unknown;
  /** What was coded differently. */
  readonly variable: string;
  /** The code that counts. */
  readonly value: string | number;
  /** Who decided. */
  readonly by: string;
  /** Why. */
  readonly why: string;
}

/** Options of {@link disagreements} and {@link resolve}. */
export interface CodesOptions {
  /** The codebook. Default: that of the codes, which follows them through verbs. */
  book?: Codebook | undefined;
}

/**
 * The passages that coders coded differently, to be discussed.
 *
 * @param codes of {@link readCodes}
 * @returns a row for each passage and variable: `row`, `variable`, what each coder said, in a column with the coder's name, `text` and `link`
 * @example
 * disagreements(codes).columns; //=> ["row", "variable", "A", "B", "text", "link"]
 */
export function disagreements(codes: PolarsFrame, options: CodesOptions = {}): PolarsFrame {
  const book = codebookOf("codes", codes, checkedOptions(options, ["book"], "option of disagreements").book);
  const coders = [...new Set(textsOf(codes, "coder"))].filter((coder) => coder !== null).sort();
  const column = (coder: string) => (["row", "variable", "text", "link"].includes(coder) ? `coder ${coder}` : coder);
  const [rows, texts, links] = [textsOf(codes, "row"), textsOf(codes, "text"), textsOf(codes, "link")];
  const place = new Map(rows.map((row, at) => [row, at]));
  const lines = openDisagreements(codes, book).map(({ row, variable, own }): Record<string, unknown> => {
    const at = place.get(row) as number;
    const said = [...own].map(([coder, value]) => [column(coder), String(value)]);
    return { ...Object.fromEntries(said), row, variable, text: texts[at], link: links[at] };
  });
  const frame = resultFrame(columnsOf(lines, pl.Utf8, "row", "variable", ...coders.map(column), "text", "link"));
  return likeSource(codes, frame, ["disagreements", "rows"]);
}

function openDisagreements(codes: PolarsFrame, book: Codebook) {
  const decided = book.variables.filter(({ kind }) => kind !== "text");
  return decided.flatMap((variable) =>
    [...codesBy(codes, variable)]
      .filter(([, own]) => new Set(own.values()).size > 1)
      .map(([row, own]) => ({ row, variable: variable.name, own })),
  );
}

/**
 * One code for each passage: what all of its coders said, or what was decided. Who decided and why stays in the table.
 *
 * @param codes of {@link readCodes}
 * @param decisions one for each row of {@link disagreements}; decisions about passages on which coders agree replace their code. Default: none
 * @returns the codes with one row for each passage, `coder` being "all" or the coder's name, with `resolved_by` and `why` where something was decided
 * @throws ValidationError for passages that are still coded differently, and for decisions about unknown passages or values
 * @example
 * const [open] = disagreements(codes).toRecords();
 * const gold = resolve(codes, [{ row: open.row, variable: "stance", value: "oppose", by: "A and B", why: "irony" }]);
 */
export function resolve(
  codes: PolarsFrame,
  decisions: readonly Decision[] = [],
  options: CodesOptions = {},
): PolarsFrame {
  const book = codebookOf("codes", codes, checkedOptions(options, ["book"], "option of resolve").book);
  if (!Array.isArray(decisions)) throw invalid("decisions", decisions, `Give a list. ${EXAMPLE}`);
  const [rows, coders] = [textsOf(codes, "row"), textsOf(codes, "coder")];
  const known = rows.flatMap((row, at) => (row === null ? [] : [{ row, at }]));
  const passages = groupBy(known, ({ row }) => row);
  const checked = decisions.map((each) => checkDecision(each, passages, book));
  const decided = new Map(checked.map((each) => [`${each.variable} ${each.row}`, each]));
  const other = checked.find(({ row, variable, value }) => decided.get(`${variable} ${row}`)?.value !== value);
  if (other !== undefined)
    throw invalid("decisions", `two codes for ${other.variable} of ${other.row}`, "Give the one that counts.");
  const open = openDisagreements(codes, book).filter(({ row, variable }) => !decided.has(`${variable} ${row}`));
  if (open[0] !== undefined) {
    const many = `${open.length} ${open.length === 1 ? "disagreement is" : "disagreements are"} open`;
    const hint = `${many}, the first about ${open[0].variable} of ${show(open[0].row)}. List them with disagreements(codes).`;
    throw invalid("decisions", decisions.length, hint);
  }
  const byVariable = book.variables.map((variable) => ({ variable, codes: codesBy(codes, variable) }));
  const resolved = [...passages].map(([row, places]): Code => {
    const own = book.variables.flatMap(({ name }) => decided.get(`${name} ${row}`) ?? []);
    const values = byVariable.map(({ variable, codes: all }) => {
      const decision = own.find((each) => each.variable === variable.name);
      const said = [...(all.get(row) ?? [])];
      const [code = null, ...further] = new Set(said.map(([, each]) => each));
      // The notes of all coders, or the code that they share.
      const shared = further.length > 0 ? said.map(([coder, note]) => `${coder}: ${note}`).join("; ") : code;
      return [variable.name, decision?.value ?? shared];
    });
    const [coder, ...others] = new Set(places.map(({ at }) => coders[at]));
    const about = {
      resolved_by: [...new Set(own.map(({ by }) => by))].join("; ") || null,
      why: [...new Set(own.map(({ why }) => why))].join("; ") || null,
    };
    return { row, coder: others.length === 0 ? String(coder) : "all", values: Object.fromEntries(values), about };
  });
  const replaced = ["row", "coder", "coded_at", "why", "resolved_by", ...book.variables.map(({ name }) => name)];
  const kept = codes.select(...codes.columns.filter((name) => !replaced.includes(name)));
  const firsts = [...passages.values()].map(([first]) => first?.at as number);
  const step = ["resolve", "rows", { agreed: agreed(codes, book), decisions: decisions.length }] as const;
  // Taking the columns and rows of the passages is no step of a study.
  const own = setProvenance(rowsAt(kept, firsts), provenanceOf(codes));
  return codesFrame(own, [...passages.keys()], book, resolved, ["resolved_by", "why"], step);
}

const EXAMPLE = 'For example { row, variable: "stance", value: "oppose", by: "A and B", why: "irony" }.';

function checkDecision(decision: Decision, known: ReadonlyMap<unknown, unknown>, book: Codebook): Decision {
  if (!isObject(decision)) throw invalid("decision", decision, EXAMPLE);
  const { row, variable, value, by, why } = decision;
  if (!known.has(row)) throw invalid("row", row, "No code is about this passage.");
  nonEmptyString("by", by, "A and B");
  nonEmptyString("why", why, "irony");
  const checked = checkCode(variableOf(book, variable), value, `decision about ${row}`);
  if (checked === null) throw invalid("value", value, "Give what was decided.");
  return { ...decision, value: checked };
}
