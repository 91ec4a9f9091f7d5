import { inspect } from "node:util";
import { closestMatch } from "leven";
import { congressNumber, MAX_CONGRESS } from "../util/congress.js";
import { isObject, isPromise, withoutNulls } from "../util/objects.js";
import { clip, escaped, quoted, quotedList } from "../util/text.js";
import { ValidationError } from "./index.js";

/**
 * The error for bad input: `invalid <name>: <value>. <what to give>`. For a promise it suggests `await`.
 * @example
 * throw invalid("limit", 0, "Give a whole number from 1, for example limit: 50.");
 * //=> ValidationError: invalid limit: 0. Give a whole number from 1, for example limit: 50.
 */
export function invalid(name: string, value: unknown, hint: string): ValidationError {
  if (isPromise(value)) return faulty(name, "it is a promise", "Put await before it.");
  return new ValidationError(`invalid ${name}: ${show(value)}.`, { hint, parameter: name });
}

/**
 * The error for input whose value is not worth showing, such as a frame: `invalid <name>: <fault>. <what to give>`.
 * @example
 * throw faulty("frame", "it has no period", 'Give a frame of rates(…, { by: "month" }).');
 */
export function faulty(name: string, fault: string, hint: string, cause?: unknown): ValidationError {
  return new ValidationError(`invalid ${name}: ${fault}.`, { hint, parameter: name, cause });
}

/** Checks that a frame has the required columns; `from` names a function whose frames have them. */
export function checkColumns(columns: readonly string[], required: readonly string[], from: string): void {
  const missing = required.filter((name) => !columns.includes(name));
  if (missing.length > 0) throw faulty("frame", `missing columns ${missing.join(", ")}`, `Give a frame of ${from}.`);
}

/** Rejects a frame that already has one of the columns to add. */
export function refuseColumns(columns: readonly string[], newColumns: readonly string[]): void {
  const duplicates = newColumns.filter((name) => columns.includes(name));
  if (duplicates.length === 0) return;
  const hint = `Rename or drop them, for example frame.drop("${duplicates[0]}").`;
  throw faulty("frame", `it already has columns ${duplicates.join(", ")}`, hint);
}

/** Checks a whole number from 1. */
export function positiveInteger(name: string, value: unknown, example: number): number {
  return number(name, value, example, (input) => Number.isSafeInteger(input) && input >= 1, "whole number from 1");
}

/** Checks a whole number from 0. */
export function nonNegativeInteger(name: string, value: unknown, example: number): number {
  return number(name, value, example, (input) => Number.isSafeInteger(input) && input >= 0, "whole number from 0");
}

/** Checks a finite number above 0; `unit` (`"seconds"`) and `max` are part of the hint. */
export function positiveNumber(name: string, value: unknown, example: number, unit = "", max = Infinity): number {
  const what = `number${unit && ` of ${unit}`} above 0${upTo(max)}`;
  return number(name, value, example, (input) => input > 0 && input <= max, what);
}

/** Checks a finite number from 0; `unit` (`"seconds"`) and `max` are part of the hint. */
export function nonNegativeNumber(name: string, value: unknown, example: number, unit = "", max = Infinity): number {
  const what = `number${unit && ` of ${unit}`} from 0${upTo(max)}`;
  return number(name, value, example, (input) => input >= 0 && input <= max, what);
}

function number(name: string, value: unknown, example: number, fits: (input: number) => boolean, what: string): number {
  if (Number.isFinite(value) && fits(value as number)) return value as number;
  throw invalid(name, value, `Give a ${what}, for example ${name}: ${example}.`);
}

function upTo(max: number): string {
  return Number.isFinite(max) ? ` and up to ${max}` : "";
}

export function boolean(name: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw invalid(name, value, `Give ${name}: true or ${name}: false.`);
}

/**
 * Checks that a value is one of some strings.
 * @example
 * oneOf("format", "cvs", ["json", "csv"]);
 * //=> ValidationError: invalid format: "cvs". Give one of "json", "csv". Did you mean "csv"?
 */
export function oneOf<T extends string>(name: string, value: unknown, choices: readonly T[]): T {
  const match = choices.find((choice) => choice === value);
  if (match !== undefined) return match;
  throw invalid(name, value, `Give one of ${quotedList(choices)}.${didYouMean(value, choices)}`);
}

/** The end of a hint: ` Did you mean "csv"?`, or nothing. */
export function didYouMean(value: unknown, choices: readonly string[]): string {
  const near = typeof value === "string" ? nearest(value, choices) : undefined;
  return near === undefined ? "" : ` Did you mean ${show(near)}?`;
}

/** Checks a string that is more than white space; returns it untrimmed. */
export function nonEmptyString(name: string, value: unknown, example?: string): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  const forExample = example === undefined ? "" : `, for example ${name}: ${quoted(example, 1000)}`;
  throw invalid(name, value, `Give a non-empty string${forExample}.`);
}

/** Checks a non-empty list of names. */
export function nameList(name: string, value: unknown, ...examples: readonly string[]): readonly string[] {
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string")) return value;
  throw invalid(name, value, `Give a list of names, for example ${name}: [${examples.map(show).join(", ")}].`);
}

/** Checks a Congress, by number or ordinal; returns the number. */
export function checkCongress(value: unknown): number {
  const congress = congressNumber(value);
  if (congress !== undefined) return congress;
  const hint = `Give a number from 1 to ${String(MAX_CONGRESS)} or its ordinal, for example congress: 117 or congress: "117th".`;
  throw invalid("congress", value, hint);
}

/** Checks an AbortSignal by its members: notebook cells may run in another realm, with another AbortSignal class. */
export function abortSignal(name: string, value: unknown): AbortSignal {
  const input = value as Partial<AbortSignal> | null;
  if (typeof input?.aborted === "boolean" && typeof input.addEventListener === "function") return input as AbortSignal;
  throw invalid(name, value, `Give an AbortSignal, for example ${name}: controller.signal.`);
}

/** Rejects unknown keys, even with the value `undefined`, and suggests the nearest known one. */
export function rejectUnknownKeys(options: object, names: readonly string[], what: string): void {
  for (const key of Object.keys(options)) {
    if (names.includes(key)) continue;
    const near = nearest(key, names);
    const hint = near === undefined ? `Valid names are ${names.join(", ")}.` : `Did you mean ${near}?`;
    throw new ValidationError(`invalid ${what}: ${show(key)}.`, { hint, parameter: key });
  }
}

/** Checks the options of a call, without changing them: rejects unknown names and treats `null` as absent. */
export function checkedOptions<T extends object>(
  options: T | null | undefined,
  names: readonly string[],
  what: string,
): Partial<T> {
  if (options === undefined || options === null) return {};
  if (!isObject(options))
    throw invalid(what.replace("option", "options"), options, `Give an object with options: ${names.join(", ")}.`);
  rejectUnknownKeys(options, names, what);
  return withoutNulls<T>(options);
}

/**
 * Formats a value for a message: short, on one line. Never throws.
 *
 * @example
 * show("cvs"); //=> '"cvs"'
 */
export function show(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "function") return "a function";
  try {
    const text = inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 5 });
    return escaped(text.replace(/\s+/g, " "), 80);
  } catch {
    return `a value of type ${typeof value}`;
  }
}

/** The error for a column that does not exist. A `verb` of polars takes any string for the name of a column. */
export function unknownColumn(name: string, columns: readonly string[], verb?: string): ValidationError {
  const near = nearest(name, columns);
  const advice = verb === undefined ? "" : `To compare with a string, write pl.lit(${show(name)}) or where({ … }). `;
  const hint = `${near === undefined ? advice : `Did you mean ${show(near)}? `}The columns are ${quotedList(columns)}.`;
  const place = verb === undefined ? "" : ` in ${verb}`;
  return new ValidationError(`invalid column${place}: ${show(name)}.`, { hint, parameter: name });
}

/** The candidate that was probably meant. Ignores case, hyphens and underscores: `max_retries` is `maxRetries`, and `key` is `apiKey`. */
export function nearest<T extends string>(text: string, candidates: readonly T[]): T | undefined {
  const normalize = (name: string) => name.toLowerCase().replace(/[-_\s]/g, "");
  const target = normalize(clip(text, 80));
  // A swap is two edits, so even a short name may differ in two letters, but not in all.
  const maxDistance = Math.min(Math.max(2, Math.floor(target.length / 3)), target.length - 1);
  // Column names come from the service and may be a megabyte long.
  const names = candidates.filter(({ length }) => length <= 80);
  const match = closestMatch(target, names.map(normalize), { maxDistance });
  const endings = target.length < 3 ? [] : names.filter((name) => normalize(name).endsWith(target));
  return names.find((name) => normalize(name) === match) ?? (endings.length === 1 ? endings[0] : undefined);
}
