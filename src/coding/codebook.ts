import { checkedOptions, invalid, nonEmptyString, oneOf } from "../errors/validators.js";
import { isObject } from "../util/objects.js";
import { codeRules } from "./codeRules.js";
import { hashOf } from "./passages.js";

/** What distances between the values of a variable mean. */
export type Scale = "nominal" | "ordinal" | "interval" | "ratio";

/**
 * A variable: its values (ordinal ones from the lowest to the highest), `"yes/no"`, `"number"`, `"text"` for notes, or an object that also
 * has its question and scale.
 */
export type VariableDefinition =
  | readonly string[]
  | "yes/no"
  | "number"
  | "text"
  | {
      /** The values, or their kind. */
      readonly values: readonly string[] | "yes/no" | "number" | "text";
      /** What coders are asked. Default: the name of the variable. */
      readonly question?: string;
      /** Default `"nominal"`, and `"interval"` for numbers. */
      readonly scale?: Scale;
    };

/** A variable of a codebook. */
export interface Variable {
  /** The column of its codes. */
  readonly name: string;
  /** Whether a code is one of `values`, a number or a note. */
  readonly kind: "choice" | "number" | "text";
  /** The values of a choice. */
  readonly values: readonly string[];
  /** What coders are asked. */
  readonly question: string;
  /** What distances between values mean. */
  readonly scale: Scale;
}

/** What coders decide, see `codebook`. */
export interface Codebook {
  /** In the order in which coders see them. */
  readonly variables: readonly Variable[];
  /** What coders read first. */
  readonly instructions: string;
  /** Identifies variables and instructions. Codes of another codebook are refused. */
  readonly hash: string;
}

/** Options of {@link codebook}. */
export interface CodebookOptions {
  /** What coders read before they begin, as plain text. */
  instructions?: string | undefined;
}

export const rules = codeRules();
const SCALES: readonly Scale[] = ["nominal", "ordinal", "interval", "ratio"];
/** Coders type the keys 1 to 9. */
const MAX_VALUES = 9;
const NAME = /^\p{L}[\p{L}\p{N}_]{0,39}$/u;
/** Columns that codes have besides the variables. */
const CODE_COLUMNS: readonly string[] = ["row", "coder", "codebook", "coded_at"];

/**
 * Defines what coders decide about each passage.
 *
 * @param variables by name, two to nine values each
 * @returns the codebook; its `hash` changes with every change
 * @throws ValidationError for names that are not words or that tables of codes use themselves
 * @example
 * const book = codebook({ stance: ["support", "oppose", "neither"], cost: "yes/no", note: "text" });
 * book.variables.map(({ name, kind }) => `${name}: ${kind}`); //=> ["stance: choice", "cost: choice", "note: text"]
 */
export function codebook(
  variables: Readonly<Record<string, VariableDefinition>>,
  options: CodebookOptions = {},
): Codebook {
  const { instructions = "" } = checkedOptions(options, ["instructions"], "option of codebook");
  if (typeof instructions !== "string") throw invalid("instructions", instructions, "Give a text.");
  if (typeof variables !== "object" || variables === null || Object.keys(variables).length === 0)
    throw invalid("variables", variables, 'Give at least one, for example { stance: ["support", "oppose"] }.');
  const checked = Object.entries(variables).map(([name, definition]) => checkVariable(name, definition));
  // Begins with a letter, because a spreadsheet would round digits.
  const hash = `c${hashOf(JSON.stringify({ variables: checked, instructions })).slice(1)}`;
  return Object.freeze({ variables: checked, instructions, hash });
}

function checkVariable(name: string, definition: VariableDefinition): Variable {
  if (name in {}) throw invalid("variable", name, "JavaScript objects have a member of that name. Choose another one.");
  if (!NAME.test(name)) throw invalid("variable", name, "Give a word of up to 40 letters, digits and underscores.");
  if (CODE_COLUMNS.includes(name))
    throw invalid("variable", name, "Tables of codes have a column of that name. Choose another one.");
  const options = isObject(definition) ? definition : { values: definition };
  const checked = checkedOptions(options as Partial<Variable>, ["values", "question", "scale"], `option of ${name}`);
  const values: unknown = checked.values;
  const kind = values === "number" || values === "text" ? values : "choice";
  const scale = oneOf(`scale of ${name}`, checked.scale ?? (kind === "number" ? "interval" : "nominal"), SCALES);
  const question = nonEmptyString(`question of ${name}`, checked.question ?? name);
  return { name, kind, values: kind === "choice" ? checkValues(name, values, scale) : [], question, scale };
}

function checkValues(name: string, definition: unknown, scale: Scale): readonly string[] {
  const values = definition === "yes/no" ? ["yes", "no"] : definition;
  const isList = Array.isArray(values) && values.every((value) => typeof value === "string" && value.trim() === value);
  if (!isList || values.includes(""))
    throw invalid(name, values, 'Give a list of values, "yes/no", "number" or "text".');
  if (values.length < 2 || values.length > MAX_VALUES)
    throw invalid(name, values, `Give 2 to ${MAX_VALUES} values: coders choose them with the keys 1 to ${MAX_VALUES}.`);
  // Codes ignore case.
  if (new Set(values.map((value) => value.toLowerCase())).size < values.length)
    throw invalid(name, values, "Give every value once.");
  if ((scale === "interval" || scale === "ratio") && !values.every((value) => Number.isFinite(Number(value))))
    throw invalid(`scale of ${name}`, scale, 'Its values are not numbers. Give "ordinal" or "nominal".');
  return [...values];
}

/** The code that an answer has; null for none. @throws ValidationError that names the values of the variable */
export function checkCode(variable: Variable, value: unknown, where: string): string | number | null {
  const code = rules.checkCode(variable, value);
  if (typeof code !== "object" || code === null) return code;
  throw invalid(code.name, code.value, code.hint.replace(/\.$/, ` (${where}).`));
}
