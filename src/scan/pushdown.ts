import type { ExprNode } from "../frames/polarsPlan.js";
import type { OperationName } from "../service/operations/operations.js";

/** Parameters added to a request. The verbs still run locally, so this can only save requests. */
type Pushed = Readonly<Record<string, string | number>>;
type Given = Readonly<Record<string, unknown>>;

const DAY = 86_400_000;

interface Filter {
  readonly keepsValues?: boolean;
  readonly comparisons?: readonly Comparison[];
}

/** Finds the comparisons that the service can apply, in the verbs before the first one that changes values, counts or gathers rows. */
export function pushdown(operation: OperationName, given: Given, verbs: readonly Filter[]): Pushed {
  const end = verbs.findIndex(({ keepsValues }) => !keepsValues);
  const comparisons = verbs.slice(0, end < 0 ? undefined : end).flatMap((verb) => verb.comparisons ?? []);
  return PUSHDOWNS[operation]?.(comparisons, given) ?? {};
}

type Pushdown = (comparisons: readonly Comparison[], given: Given) => Pushed;
const PUSHDOWNS: Partial<Record<OperationName, Pushdown>> = { mentions, people };

function mentions(comparisons: readonly Comparison[], given: Given): Pushed {
  const parameters: Record<string, string | number> = {};
  const person = comparisons.find(({ column, op, value }) => column === "personid" && op === "Eq" && "number" in value);
  if (person !== undefined && given.personid === undefined && "number" in person.value) {
    const { number } = person.value;
    if (Number.isSafeInteger(number) && number > 0) parameters.personid = number;
  }
  if (given.date !== undefined) return parameters;
  const { from, to } = timeRange(comparisons, "begintime");
  const mindate = sorted(given.mindate, day(from)).at(-1);
  const maxdate = sorted(given.maxdate, day(to)).at(0);
  // The service refuses an empty range; the scan returns no rows for it anyway.
  if (mindate !== undefined && maxdate !== undefined && mindate > maxdate) return parameters;
  if (mindate !== undefined && mindate === maxdate && given.mindate === undefined && given.maxdate === undefined) {
    return { ...parameters, date: mindate };
  }
  if (mindate !== undefined && mindate !== given.mindate) parameters.mindate = mindate;
  if (maxdate !== undefined && maxdate !== given.maxdate) parameters.maxdate = maxdate;
  return parameters;
}

/** The first and the last millisecond that pass the comparisons of a column. */
function timeRange(comparisons: readonly Comparison[], name: string): { from: number; to: number } {
  let from = Number.NEGATIVE_INFINITY;
  let to = Number.POSITIVE_INFINITY;
  for (const { column, op, value } of comparisons) {
    if (column !== name || !("timestamp" in value)) continue;
    const { timestamp } = value;
    if (op !== "Lt" && op !== "LtEq") from = Math.max(from, timestamp);
    // Strictly before midnight means the previous day.
    if (op === "Lt") to = Math.min(to, Math.ceil(timestamp) - 1);
    if (op === "LtEq" || op === "Eq") to = Math.min(to, timestamp);
  }
  return { from, to };
}

/** The UTC day of a timestamp; undefined if the service cannot express it. */
function day(timestamp: number): string | undefined {
  const date = new Date(Math.floor(timestamp / DAY) * DAY);
  if (Number.isNaN(date.getTime())) return undefined;
  const text = date.toISOString();
  return /^\d{4}-/.test(text) ? text.slice(0, 10) : undefined;
}

/** The given and the pushed day, if any, in order. */
function sorted(given: unknown, pushed: string | undefined): readonly string[] {
  return [given, pushed].filter((day) => typeof day === "string").sort();
}

function people(comparisons: readonly Comparison[], given: Given): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const { column, op, value } of comparisons) {
    const parameter = { firstName: "first", lastName: "last" }[column];
    if (parameter === undefined || op !== "Eq" || !("text" in value) || value.text.trim() === "") continue;
    if (given[parameter] === undefined) parameters[parameter] ??= value.text;
  }
  return parameters;
}

/** A comparison that the service can apply too. Timestamps are milliseconds since 1970. */
export interface Comparison {
  readonly column: string;
  readonly op: "Eq" | "Gt" | "GtEq" | "Lt" | "LtEq";
  readonly value: { readonly timestamp: number } | { readonly number: number } | { readonly text: string };
}

const FLIPPED: Readonly<Record<string, Comparison["op"]>> = {
  Eq: "Eq",
  Gt: "Lt",
  GtEq: "LtEq",
  Lt: "Gt",
  LtEq: "GtEq",
};

/** The comparisons that hold for every row that passes a predicate. Skips parts it does not understand. */
export function comparisonsOf(node: ExprNode): Comparison[] {
  const found: Comparison[] = [];
  const open: ExprNode[] = [node];
  while (open.length > 0) {
    const binary = member(open.pop(), "BinaryExpr");
    if (binary === undefined) continue;
    const { left, op, right } = binary as { left: ExprNode; op: string; right: ExprNode };
    if (op === "And" || op === "LogicalAnd") open.push(right, left);
    else found.push(...(comparison(left, op, right) ?? comparison(right, FLIPPED[op] ?? "", left) ?? []));
  }
  return found;
}

function comparison(left: ExprNode, op: string, right: ExprNode): Comparison[] | undefined {
  const column = member(timesOf(left), "Column");
  const value = literalOf(right);
  if (typeof column !== "string" || value === undefined || !(op in FLIPPED)) return undefined;
  return [{ column, op: op as Comparison["op"], value }];
}

/** The column whose times a condition of `where` compares: it adds no time to them and casts them to UTC. */
function timesOf(node: ExprNode): ExprNode {
  const cast = member(node, "Cast") as { expr?: ExprNode; dtype?: unknown } | undefined;
  const sum = member(cast?.expr, "BinaryExpr") as { left?: ExprNode; op?: string } | undefined;
  return sum?.op === "Plus" && /Datetime/.test(JSON.stringify(cast?.dtype)) ? sum.left : node;
}

const PER_MILLISECOND: Readonly<Record<string, bigint>> = {
  Milliseconds: 1n,
  Microseconds: 1000n,
  Nanoseconds: 1_000_000n,
};

function literalOf(node: ExprNode): Comparison["value"] | undefined {
  const cast = member(node, "Cast");
  if (cast !== undefined) {
    // Casting a literal to the type of its column does not change the comparison; other casts might.
    const { expr, dtype } = cast as { expr?: ExprNode; dtype?: unknown };
    const isLiteral = member(expr, "Literal") !== undefined;
    return isLiteral && /Datetime|"U?Int64"|"String"/.test(JSON.stringify(dtype)) ? literalOf(expr) : undefined;
  }
  const literal = member(node, "Literal") as ExprNode;
  const scalar = member(literal, "Scalar") ?? member(member(literal, "Dyn") as ExprNode, "Int");
  if (typeof scalar === "number") return { number: scalar };
  const [[type, value] = ["", undefined]] = Object.entries((scalar ?? {}) as object);
  if (/^(U?Int\d+|Float\d+)$/.test(type) && typeof value === "number") return { number: value };
  if (type === "String" && typeof value === "string") return { text: value };
  if (type !== "Datetime" || !Array.isArray(value)) return undefined;
  const [count, unit] = value as [number | string, string];
  const per = PER_MILLISECOND[unit];
  return per === undefined ? undefined : { timestamp: milliseconds(BigInt(count), per) };
}

/** Whole milliseconds; a fraction becomes 0.5, which is enough to compare. */
function milliseconds(count: bigint, per: bigint): number {
  const part = ((count % per) + per) % per;
  return Number((count - part) / per) + (part === 0n ? 0 : 0.5);
}

function member(node: ExprNode, name: string): unknown {
  return typeof node === "object" && node !== null ? node[name] : undefined;
}
