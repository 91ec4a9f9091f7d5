import { type Json, JsonObject } from "./exactParser.js";

// The rules of columns and their types, in plain words of code, for rows of any form. Written for the tests of the page scanner.

type Declared = Readonly<Record<string, string>>;
type Kind = "int" | "long" | "huge" | "float" | "bool" | "text" | "datetime" | "list";

/** A column: its name, its type, and its values as they are compared. */
export interface ExpectedColumn {
  readonly type: string;
  readonly values: unknown[];
}

/** The frame that rows should become: columns in order. */
export function expectedFrame(rows: readonly JsonObject[], declared: Declared): Map<string, ExpectedColumn> {
  const cells = new Map<string, Map<number, Json>>(Object.keys(declared).map((name) => [nameOf([name]), new Map()]));
  const types = new Map(Object.entries(declared).map(([name, type]) => [nameOf([name]), type]));
  const visit = (object: JsonObject, path: string[], row: number) => {
    for (const [name, value] of object.entries) {
      const column = nameOf([...path, name]);
      if (value instanceof JsonObject && value.members.length > 0) {
        visit(value, [...path, name], row);
        continue;
      }
      if (!cells.has(column)) cells.set(column, new Map());
      if (value !== null && !(value instanceof JsonObject)) cells.get(column)?.set(row, value);
    }
  };
  rows.forEach((row, at) => {
    visit(row, [], at);
  });
  return new Map(
    [...cells].map(([name, values]) => [
      name,
      expectedColumn(
        [...rows.keys()].map((at) => values.get(at)),
        types.get(name),
      ),
    ]),
  );
}

function expectedColumn(values: ReadonlyArray<Json | undefined>, declared: string | undefined): ExpectedColumn {
  const kinds = new Set<Kind>();
  const known = values.map((value) => {
    const kind = value === undefined ? undefined : kindOf(value, declared);
    if (kind !== undefined) kinds.add(kind);
    return kind === undefined ? null : (value as Json);
  });
  if (declared !== undefined) kinds.add(declared === "string" ? "text" : (declared as Kind));
  const type = typeOf(kinds);
  return { type, values: known.map((value) => (value === null ? null : cellOf(value, type))) };
}

function kindOf(value: Json, declared: string | undefined): Kind | undefined {
  if (typeof value === "bigint") {
    if (value >= 2n ** 63n || value < -(2n ** 63n)) return "huge";
    return value > 2n ** 53n - 1n || value < 1n - 2n ** 53n ? "long" : "int";
  }
  if (typeof value === "number") {
    if (Math.abs(value) === Number.POSITIVE_INFINITY) return "huge";
    return Number.isSafeInteger(value) ? "int" : "float";
  }
  if (typeof value === "boolean") return "bool";
  if (Array.isArray(value)) return "list";
  if (value === "" && declared !== undefined && declared !== "string") return undefined;
  return declared === "datetime" && microseconds(value as string) !== undefined ? "datetime" : "text";
}

function typeOf(kinds: ReadonlySet<Kind>): string {
  const only = (...allowed: Kind[]) => kinds.size > 0 && [...kinds].every((kind) => allowed.includes(kind));
  if (only("int", "long")) return "Int64";
  if (only("int", "float")) return "Float64";
  if (only("bool")) return "Bool";
  if (only("datetime")) return "Datetime(us,UTC)";
  return only("list") ? "List" : "String";
}

/** A value in its column, in the form in which columns are compared. */
function cellOf(value: Json, type: string): unknown {
  if (type === "Int64") return String(typeof value === "bigint" ? value : (value as number) + 0);
  if (type === "Float64") return Number(value) + 0;
  if (type === "Bool") return value;
  if (type === "Datetime(us,UTC)") return String(microseconds(value as string));
  if (type === "List") return (value as Json[]).length;
  return typeof value === "string" ? wellFormed(value) : typeof value === "number" ? String(value) : writeJson(value);
}

/** Lone surrogates cannot be written as UTF-8. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function writeJson(value: Json): string {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(",")}]`;
  if (value instanceof JsonObject)
    return `{${[...value.entries].map(([name, item]) => `${JSON.stringify(name)}:${writeJson(item)}`).join(",")}}`;
  if (typeof value === "string") return JSON.stringify(wellFormed(value));
  return JSON.stringify(value);
}

/** Microseconds since 1970 of a timestamp that a column of them accepts. */
function microseconds(text: string): bigint | undefined {
  const match =
    /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6})0*)?)?(?:Z|([+-])(\d\d):?(\d\d))?)?$/.exec(text);
  if (match === null) return undefined;
  const [, y, mo, d, h = "0", mi = "0", s = "0", fraction = "", sign, oh = "0", om = "0"] = match;
  const part = (value: string | undefined) => Number(value);
  const isLeapYear = part(y) % 4 === 0 && (part(y) % 100 !== 0 || part(y) % 400 === 0);
  const days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  if (part(mo) < 1 || part(mo) > 12 || part(d) < 1 || part(d) > (days[part(mo) - 1] as number)) return undefined;
  if (part(h) > 23 || part(mi) > 59 || part(s) > 59 || part(oh) > 23 || part(om) > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(part(y), part(mo) - 1, part(d));
  date.setUTCHours(part(h), part(mi), part(s));
  const offset = (sign === "-" ? -1 : 1) * (part(oh) * 60 + part(om)) * 60_000;
  return BigInt(date.getTime() - (sign === undefined ? 0 : offset)) * 1000n + BigInt(fraction.padEnd(6, "0"));
}

const RESERVED = /^(?:_df|clone|columns|drop|dtypes|filter|head|height|schema|select|shape)_*$/;

/** The name of a column: members joined with dots, those in names escaped. */
function nameOf(path: readonly string[]): string {
  const name = path
    .map((member) =>
      member
        .replace(/[\\.]/g, "\\$&")
        .replace(
          /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
          (c) => `\\u${c.charCodeAt(0).toString(16)}`,
        ),
    )
    .join(".");
  return RESERVED.test(name) ? `${name}_` : name;
}
