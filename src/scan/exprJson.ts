import type { pl as Polars } from "nodejs-polars";
import { ValidationError } from "../errors/index.js";
import { pl } from "../frames/polars.js";
import { escaped } from "../util/quoted.js";

/** A polars expression. */
export type PolarsExpr = Polars.Expr;

/** An expression as polars writes it to JSON; `undefined` for one that polars cannot serialize, which nobody can inspect. */
export type ExprNode = { readonly [name: string]: unknown } | string | undefined;

type Format = "json" | "bincode";
interface Serializable {
  serialize(format: Format): Buffer;
}

const STRING = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
/** Strings, and numbers with more digits than a JavaScript number holds. */
const LONG_NUMBER = new RegExp(String.raw`${STRING}|-?\d{16,}(?![\d.eE])`, "gs");
/** Strings, and timestamps without a time zone. */
const NAIVE = new RegExp(String.raw`"Datetime":\[(-?\d+),"((?:Milli|Micro|Nano)seconds)",null\]|${STRING}`, "gs");
/** Strings, and timestamps without a time zone, as polars prints them. */
const PRINTED = /"[^"]*"|\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?! UTC)\b/g;

/**
 * The inside of an expression. The format is internal to polars: code that reads it treats every unknown node as opaque.
 * Whole numbers of 16 digits and more are strings of their digits.
 */
export function exprNode(expr: PolarsExpr): ExprNode {
  const text = jsonOf(expr);
  if (text === undefined) return undefined;
  return JSON.parse(text.replace(LONG_NUMBER, (token) => (token[0] === '"' ? token : `"${token}"`))) as ExprNode;
}

/**
 * The expression with every timestamp that came from a JavaScript Date in UTC, which is what it is. polars itself refuses to
 * compare a Date with the columns of our frames, whose timestamps are in UTC.
 *
 * @throws ValidationError where the dates in an expression cannot be reached
 */
export function inUtc(expr: PolarsExpr): PolarsExpr {
  const json = jsonOf(expr);
  if (json === undefined) {
    const dates = String(expr).match(PRINTED) ?? [];
    if (dates.every((token) => token[0] === '"')) return expr;
    throw unreachable(expr);
  }
  const naive = new Map<string, string>();
  const wanted = json.replace(NAIVE, (token, count?: string, unit?: string) => {
    if (count === undefined) return token;
    const utc = `"Datetime":[${count},"${unit}",{"inner":"UTC"}]`;
    naive.set(token, utc);
    return utc;
  });
  if (naive.size === 0) return expr;
  // JSON loses NaN and infinity, and polars reads no more than 128 levels of it; its binary format has neither limit. The
  // bytes of a literal are the same wherever it is, and the JSON of the result proves that nothing else has changed.
  let bytes = serialized(expr, "bincode");
  for (const [from, to] of naive) bytes = replaceAll(bytes, literal(from), literal(to));
  const changed = pl.Expr.deserialize(bytes, "bincode") as PolarsExpr;
  if (jsonOf(changed) !== wanted) throw unreachable(expr);
  return changed;
}

function jsonOf(expr: PolarsExpr): string | undefined {
  try {
    return serialized(expr, "json").toString();
  } catch {
    return undefined;
  }
}

function serialized(expr: PolarsExpr, format: Format): Buffer {
  return (expr as unknown as Serializable).serialize(format);
}

/** The bytes of a literal value that is given as its JSON. */
function literal(scalar: string): Buffer {
  const json = Buffer.from(`{"Literal":{"Scalar":{${scalar}}}}`);
  return serialized(pl.Expr.deserialize(json, "json") as PolarsExpr, "bincode");
}

function replaceAll(bytes: Buffer, from: Buffer, to: Buffer): Buffer {
  const parts: Buffer[] = [];
  let start = 0;
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, start)) {
    parts.push(bytes.subarray(start, at), to);
    start = at + from.length;
  }
  return Buffer.concat([...parts, bytes.subarray(start)]);
}

function unreachable(expr: PolarsExpr): ValidationError {
  return new ValidationError(`invalid expression: ${escaped(String(expr), 200)}.`, {
    hint: 'Its dates need a time zone: write pl.lit(date).cast(pl.Datetime("us", "UTC")), or put them into a filter of their own.',
  });
}
