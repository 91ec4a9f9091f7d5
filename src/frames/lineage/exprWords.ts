import type { ValidationError } from "../../errors/index.js";
import { invalid } from "../../errors/validators.js";
import { type PolarsExpr, pl } from "../polars.js";
import { type ExprNode, exprNode } from "../polarsPlan.js";

/** Whether a value is a polars expression, of any copy of polars. */
export function isExpr(value: unknown): value is PolarsExpr {
  return typeof (value as Partial<PolarsExpr> | null | undefined)?.and === "function" && "alias" in (value as object);
}

export function invalidPredicate(value: unknown): ValidationError {
  return invalid("predicate", value, 'Give an expression, for example filter(pl.col("length").gt(60)).');
}

/**
 * A polars expression in plain words, made from its syntax tree. An expression that polars cannot serialize stays as polars writes it.
 *
 * @example
 * exprWords(pl.col("length").gt(60).and(pl.col("party").eq(pl.lit("Democrat")))); //=> 'length > 60 and party is "Democrat"'
 */
export function exprWords(expr: PolarsExpr): string {
  try {
    const node = exprNode(expr);
    if (node !== undefined) return words(node);
  } catch (error) {
    // Nested too deeply.
    if (!(error instanceof RangeError)) throw error;
  }
  return String(expr);
}

/** Operators in words, by how closely they bind their operands. */
const OPERATORS = new Map(
  [
    { Or: "or", LogicalOr: "or", Xor: "xor" },
    { And: "and", LogicalAnd: "and" },
    { Eq: "is", EqValidity: "is", NotEq: "is not", NotEqValidity: "is not", Gt: ">", GtEq: ">=", Lt: "<", LtEq: "<=" },
    { Plus: "+", Minus: "-" },
    { Multiply: "*", Divide: "/", TrueDivide: "/", RustDivide: "/", FloorDivide: "//", Modulus: "%" },
  ].flatMap((operators, at) => Object.entries(operators).map(([name, word]) => [name, { word, binding: at + 1 }])),
);

type Members = Readonly<Record<string, ExprNode>>;

function words(node: unknown): string {
  if (node === "Len") return "the number of rows";
  const [kind, value] = variant(node);
  const inner = value as Members;
  switch (kind) {
    case "Column":
      return String(value);
    case "Literal":
      return literal(value);
    case "BinaryExpr":
      return binary(inner);
    case "Cast":
      return words(inner.expr);
    case "Alias": {
      const [expr, name] = value as [unknown, string];
      const [kind, named] = variant(expr);
      // The last name counts.
      const given = words(kind === "Alias" ? (named as [unknown, string])[0] : expr);
      return given === name ? given : `${given} as ${name}`;
    }
    case "Agg": {
      const [name, input] = variant(value);
      const of = input as Members;
      return `${spaced(name)} of ${words(of?.input ?? of?.expr ?? input)}`;
    }
    case "Function":
      return call(inner);
    case "Ternary":
      return `${words(inner.truthy)} if ${words(inner.predicate)}, otherwise ${words(inner.falsy)}`;
    case "Over":
    case "Window":
      return `${words(inner.function)} per ${list(inner.partition_by)}`;
    case "Selector":
      return selector(value);
    default: {
      const inputs = inputsOf(value);
      return inputs.length === 0 ? spaced(kind) : `${spaced(kind)} of ${inputs.map(words).join(", ")}`;
    }
  }
}

function binary({ left, op, right }: Members): string {
  const { word, binding } = OPERATORS.get(String(op)) ?? { word: spaced(String(op)), binding: 0 };
  const operand = (side: ExprNode, isRight: boolean) => {
    const [kind, value] = variant(side);
    const own = kind === "BinaryExpr" ? OPERATORS.get(String((value as Members).op))?.binding : undefined;
    const isLooser = own !== undefined && (own < binding || (isRight && own === binding && binding > 3));
    return isLooser || kind === "Ternary" ? `(${words(side)})` : words(side);
  };
  return `${operand(left, false)} ${word} ${operand(right, true)}`;
}

function call({ input, function: called }: Members): string {
  const inputs = (Array.isArray(input) ? input : []) as unknown[];
  const [family, rest] = variant(called);
  const [name, options] = typeof rest === "string" || FAMILIES.has(family) ? variant(rest) : [family, rest];
  const [first, ...others] = inputs.map(words);
  const period = name === "Truncate" ? TRUNCATED[others[0] ?? ""] : undefined;
  if (period !== undefined) return `${period} of ${first}`;
  if (name === "Not") {
    const of = functionName(inputs[0]);
    if (of === "IsNull") return `${words(functionInput(inputs[0]))} is not null`;
    return of === undefined && variant(inputs[0])[0] === "Column" ? `not ${first}` : `not (${first})`;
  }
  const verb = name === "Contains" && isPattern(inputs[1], options) ? "matches" : VERBS[name];
  if (verb !== undefined) return [first, verb, others.join(", ")].filter(Boolean).join(" ");
  if (name === "Negate") return `-${first}`;
  const given = Object.values(typeof options === "object" && options !== null ? options : {});
  const values = given.filter((each) => typeof each === "number" || typeof each === "string").map(String);
  const further = [...others, ...values].join(", ");
  return `${spaced(name)}${first === undefined ? "" : ` of ${first}`}${further === "" ? "" : ` (${further})`}`;
}

const VERBS: Readonly<Record<string, string>> = {
  IsNull: "is null",
  IsNotNull: "is not null",
  IsIn: "is one of",
  Contains: "contains",
  StartsWith: "starts with",
  EndsWith: "ends with",
};

const TRUNCATED: Readonly<Record<string, string>> = {
  '"1d"': "day",
  '"1w"': "week",
  '"1mo"': "month",
  '"1q"': "quarter",
  '"1y"': "year",
};

const FAMILIES = new Set("Boolean StringExpr TemporalExpr ListExpr ArrayExpr StructExpr CategoricalExpr".split(" "));

function functionName(node: unknown): string | undefined {
  const [kind, value] = variant(node);
  return kind === "Function" ? variant(variant((value as Members).function)[1])[0] : undefined;
}

function functionInput(node: unknown): unknown {
  return ((variant(node)[1] as Members).input as unknown as unknown[])[0];
}

/** Whether what a text has to contain is a regular expression that is more than words. */
function isPattern(node: unknown, options: unknown): boolean {
  const isLiteral = (options as { readonly literal?: unknown } | undefined)?.literal === true;
  const text = scalarOf(node);
  return !isLiteral && (typeof text !== "string" || /[\\^$.|?*+()[\]{}]/.test(text));
}

function scalarOf(node: unknown): unknown {
  const scalar = (variant(node)[1] as { readonly Scalar?: object } | undefined)?.Scalar;
  return scalar === undefined ? undefined : variant(scalar)[1];
}

function literal(value: unknown): string {
  const [kind, scalar] = variant(value);
  const [type, content] = kind === "Dyn" || kind === "Scalar" ? variant(scalar) : [kind, scalar];
  if (type === "Null") return "null";
  if (type === "String" || type === "StringOwned" || type === "Str") return JSON.stringify(content);
  if (type === "Datetime" && Array.isArray(content)) return timestamp(content as [number | string, string]);
  if (type === "Date") return new Date(Number(content) * 86_400_000).toISOString().slice(0, 10);
  if ((type === "List" || type === "Series") && Array.isArray(content)) return values(content as number[]);
  return typeof content === "object" ? spaced(type) : String(content);
}

const PER_MILLISECOND: Readonly<Record<string, number>> = { Milliseconds: 1, Microseconds: 1e3, Nanoseconds: 1e6 };

function timestamp([count, unit]: readonly [number | string, string]): string {
  const date = new Date(Number(count) / (PER_MILLISECOND[unit] ?? 1));
  if (Number.isNaN(date.getTime())) return String(count);
  return date.toISOString().replace(/T00:00:00\.000Z$|\.000Z$/, (end) => (end.startsWith("T") ? "" : "Z"));
}

const MAX_LISTED = 20;

/** The values of a list literal, which polars serializes as an Arrow stream. */
function values(bytes: readonly number[]): string {
  try {
    const [column] = pl.readIPCStream(Buffer.from(bytes)).getColumns();
    const all = [...(column?.toArray() ?? [])].flat().map((each) => JSON.stringify(each) ?? String(each));
    const left = all.length - MAX_LISTED;
    return [...all.slice(0, MAX_LISTED), ...(left > 0 ? [`${left} more`] : [])].join(", ");
  } catch {
    return "a list";
  }
}

function selector(value: unknown): string {
  if (value === "Wildcard") return "all columns";
  const [kind, content] = variant(value);
  if (kind === "Difference" && Array.isArray(content)) return `${selector(content[0])} but ${selector(content[1])}`;
  const names = (content as { readonly names?: unknown } | undefined)?.names;
  return Array.isArray(names) ? names.join(", ") : `columns by ${spaced(kind)}`;
}

/** The name and the content of a node, which is an object with one member, or a name alone. */
function variant(node: unknown): [name: string, content: unknown] {
  if (typeof node !== "object" || node === null) return [String(node), undefined];
  return Object.entries(node)[0] ?? ["", undefined];
}

function inputsOf(value: unknown): unknown[] {
  const members = typeof value === "object" && value !== null ? Object.values(value) : [];
  return members.flat().filter((each) => each === "Len" || (typeof each === "object" && each !== null && isNode(each)));
}

const NODES = new Set(
  "Column Literal BinaryExpr Cast Alias Agg Function Ternary Over Window Selector Sort SortBy Gather Filter Slice".split(
    " ",
  ),
);

function isNode(value: object): boolean {
  return NODES.has(variant(value)[0]);
}

function list(nodes: unknown): string {
  return (Array.isArray(nodes) ? nodes : [nodes]).map(words).join(", ");
}

/** `NullCount` as "null count". */
function spaced(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
