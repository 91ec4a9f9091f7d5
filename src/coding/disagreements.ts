import { checkedOptions, invalid, nonEmptyString, show } from "../errors/validators.js";
import { withColumns } from "../frames/engine.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { resultFrame } from "../frames/resultFrame.js";
import { textsOf } from "../text/source/columns.js";
import { likeSource } from "../text/source/textSource.js";
import { type Codebook, checkCode, type Variable } from "./codebook.js";
import { codebookOf, codesBy, variableOf } from "./codes.js";

/** What was decided about a passage that coders coded differently. */
export interface Decision {
  /** The passage, as in the column `row`. */
  readonly row: string;
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
  const book = codebookOf(codes, checkedOptions(options, ["book"], "option of disagreements").book);
  const coders = [...new Set(textsOf(codes, "coder"))].filter((coder) => coder !== null).sort();
  const [rows, texts, links] = [textsOf(codes, "row"), textsOf(codes, "text"), textsOf(codes, "link")];
  const at = new Map(rows.map((row, place) => [row, place]));
  const found = openDisagreements(codes, book);
  const frame = resultFrame([
    { name: "row", values: found.map(({ row }) => row), dtype: pl.Utf8 },
    { name: "variable", values: found.map(({ variable }) => variable), dtype: pl.Utf8 },
    ...coders.map((coder) => ({
      name: ["row", "variable", "text", "link"].includes(coder) ? `coder ${coder}` : coder,
      values: found.map(({ own }) => (own.has(coder) ? String(own.get(coder)) : null)),
      dtype: pl.Utf8,
    })),
    { name: "text", values: found.map(({ row }) => texts[at.get(row) as number] ?? null), dtype: pl.Utf8 },
    { name: "link", values: found.map(({ row }) => links[at.get(row) as number] ?? null), dtype: pl.Utf8 },
  ]);
  return likeSource(codes, frame, ["disagreements", "rows"]);
}

interface Disagreement {
  readonly row: string;
  readonly variable: string;
  readonly own: ReadonlyMap<string, string | number>;
}

function openDisagreements(codes: PolarsFrame, book: Codebook): readonly Disagreement[] {
  return book.variables
    .filter(({ kind }) => kind !== "text")
    .flatMap((variable) =>
      [...codesBy(codes, variable)]
        .filter(([, own]) => new Set(own.values()).size > 1)
        .map(([row, own]) => ({ row, variable: variable.name, own })),
    );
}

/**
 * One code for each passage: what all of its coders said, or what was decided. Who decided and why stays in the table.
 *
 * @param codes of {@link readCodes}
 * @param decisions one for each row of {@link disagreements}; decisions about passages on which coders agree replace their code
 * @returns the codes with one row for each passage, `coder` being "all" or the coder's name, with `resolved_by` and `why` where something was decided
 * @throws ValidationError for passages that are still coded differently, and for decisions about unknown passages or values
 * @example
 * const [open] = disagreements(codes).toRecords();
 * const gold = resolve(codes, [{ row: open.row, variable: "stance", value: "oppose", by: "A and B", why: "irony" }]);
 */
export function resolve(codes: PolarsFrame, decisions: readonly Decision[], options: CodesOptions = {}): PolarsFrame {
  const book = codebookOf(codes, checkedOptions(options, ["book"], "option of resolve").book);
  const rows = textsOf(codes, "row");
  const firsts = new Map<string, number>();
  rows.forEach((row, at) => {
    if (row !== null && !firsts.has(row)) firsts.set(row, at);
  });
  const decided = new Map(
    decisions.map((decision) => [`${decision.variable} ${decision.row}`, check(decision, firsts, book)]),
  );
  const open = openDisagreements(codes, book).filter(({ row, variable }) => !decided.has(`${variable} ${row}`));
  if (open[0] !== undefined)
    throw invalid(
      "decisions",
      decisions.length,
      `${open.length} ${open.length === 1 ? "disagreement is" : "disagreements are"} open, the first about ${open[0].variable} of ${show(open[0].row)}. List them with disagreements(codes).`,
    );
  const passages = [...firsts.keys()];
  const byVariable = book.variables.map((variable) => ({ variable, codes: codesBy(codes, variable) }));
  const coders = new Map<string, Set<string>>();
  textsOf(codes, "coder").forEach((coder, at) => {
    const row = rows[at];
    if (row != null && coder !== null) coders.set(row, (coders.get(row) ?? new Set()).add(coder));
  });
  const columns = byVariable.map(({ variable, codes: own }) => ({
    name: variable.name,
    values: passages.map(
      (row) => decided.get(`${variable.name} ${row}`)?.value ?? agreedCode(variable, own.get(row)) ?? null,
    ),
    dtype: (variable.kind === "number" ? pl.Float64 : pl.Utf8) as never,
  }));
  const about = (member: "by" | "why") =>
    passages.map((row) => {
      const own = book.variables.flatMap(({ name }) => decided.get(`${name} ${row}`)?.[member] ?? []);
      return [...new Set(own)].join("; ") || null;
    });
  const made = resultFrame([
    { name: "row", values: passages, dtype: pl.Utf8 },
    {
      name: "coder",
      values: passages.map((row) =>
        [...(coders.get(row) ?? [])].length === 1 ? [...(coders.get(row) ?? [])][0] : "all",
      ),
      dtype: pl.Utf8,
    },
    ...columns,
    { name: "resolved_by", values: about("by"), dtype: pl.Utf8 },
    { name: "why", values: about("why"), dtype: pl.Utf8 },
  ]);
  const others = codes.columns.filter((name) => !made.columns.includes(name) && name !== "coded_at");
  const kept = codes.select(...others.map((name) => pl.col(name).gather([...firsts.values()])));
  const frame = withColumns(made, kept);
  likeSource(codes, frame, ["resolve", "rows", `${decisions.length} decisions`]);
  const provenance = provenanceOf(frame);
  return setProvenance(frame, provenance && { ...provenance, codebook: book });
}

/** The code that all coders share; the notes of all of them. */
function agreedCode(
  { kind }: Variable,
  own: ReadonlyMap<string, string | number> | undefined,
): string | number | undefined {
  const codes = [...new Set(own?.values())];
  return kind === "text" && codes.length > 1
    ? [...(own ?? [])].map(([coder, note]) => `${coder}: ${note}`).join("; ")
    : codes[0];
}

function check(decision: Decision, known: ReadonlyMap<string, number>, book: Codebook): Decision {
  const { row, variable, value, by, why } = decision;
  if (!known.has(row)) throw invalid("row", row, "No code is about this passage.");
  nonEmptyString("by", by, "A and B");
  nonEmptyString("why", why, "irony");
  const checked = checkCode(variableOf(book, variable), value, `decision about ${row}`);
  if (checked === null) throw invalid("value", value, "Give what was decided.");
  return { ...decision, value: checked };
}
