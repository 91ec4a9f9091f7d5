import { ValidationError } from "../errors/index.js";
import { invalid, knownKeys, show } from "../errors/validators.js";
import { engineOf } from "../frames/engine.js";
import { isObject } from "../util/isObject.js";
import { withoutNulls } from "../util/withoutNulls.js";

/** A bill as the caller gave it. Missing members, and null or empty ones of a row, are `undefined`. */
export interface GivenBill {
  readonly title?: unknown;
  readonly number?: unknown;
  readonly congress?: unknown;
  readonly variants?: unknown;
  /** Of a row of bills. */
  readonly link?: unknown;
  readonly isRow?: boolean;
}

/** The arguments of `speechesOnBill`, split into bills and options. */
export interface SpeechesArguments {
  readonly bills: readonly GivenBill[];
  readonly isList: boolean;
  /** The options. For a single bill they include its own members. */
  readonly options: Readonly<Record<string, unknown>>;
}

type Members = Readonly<Record<string, unknown>>;

const HINT =
  'Give { title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 }, a row of archive.bills(…), or a list of these.';

/**
 * Splits the arguments of `speechesOnBill` into bills and options.
 *
 * @throws ValidationError for anything but a bill, a row of bills, or a list of these
 */
export function splitArguments(first: unknown, second: unknown): SpeechesArguments {
  const options =
    second === undefined || second === null
      ? {}
      : membersOf("options", second, 'Give an object, for example { format: "csv" }.');
  if (Array.isArray(first)) return listOfBills(first, options);
  const given = membersOf("bill", first, HINT);
  if (isBillRow(given)) {
    const bill = { ...fromRow(given), variants: options.variants };
    return { bills: [bill], isList: false, options: optionsOfRow(options) };
  }
  const members = mergeMembers(given, options);
  const { bills, ...rest } = members;
  if (bills !== undefined) {
    if (!Array.isArray(bills)) throw invalid("bills", bills, "Give a list of bills.");
    return listOfBills(bills, rest);
  }
  const { bill, title, number, congress, variants } = members;
  const base = bill === undefined ? {} : readBill(bill, "bill");
  const own = Object.entries({ title, number, congress, variants }).filter(([, value]) => value !== undefined);
  return { bills: [{ ...base, ...Object.fromEntries(own) }], isList: false, options: members };
}

/** Options given next to a row must not repeat what the row says about the bill. */
function optionsOfRow(options: Members): Members {
  for (const name of ["title", "number", "congress", "bill"]) {
    if (options[name] === undefined) continue;
    throw new ValidationError(`invalid ${name}: the row already says which bill to find.`, {
      hint: `Give both in one object: { bill: row, ${name}: ${show(options[name])} }.`,
      parameter: name,
    });
  }
  return options;
}

function listOfBills(bills: readonly unknown[], options: Members): SpeechesArguments {
  if (options.variants !== undefined) {
    throw new ValidationError("invalid variants: they would apply to every bill.", {
      hint: "Give them with their bill: [{ title, variants }, …].",
      parameter: "variants",
    });
  }
  return { bills: bills.map((bill, at) => readBill(bill, `bills[${at}]`)), isList: true, options };
}

function readBill(bill: unknown, name: string): GivenBill {
  const members = membersOf(name, bill, HINT);
  if (isBillRow(members)) return fromRow(members);
  knownKeys(members, ["title", "number", "congress", "variants"], "member of a bill");
  return members;
}

function isBillRow(members: Members): boolean {
  return "billtitle" in members || "billnumber" in members;
}

/** In rows, unknown values are null or an empty string. */
function fromRow({ billtitle, billnumber, congress, link }: Members): GivenBill {
  const orUndefined = (value: unknown) => (value === null || value === "" ? undefined : value);
  return {
    title: orUndefined(billtitle),
    number: orUndefined(billnumber),
    congress: orUndefined(congress),
    link,
    isRow: true,
  };
}

function mergeMembers(given: Members, options: Members): Members {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || given[name] === undefined) continue;
    throw new ValidationError(`invalid ${name}: it is given twice, as ${show(given[name])} and as ${show(value)}.`, {
      hint: "Give it once.",
      parameter: name,
    });
  }
  const more = Object.entries(options).filter(([name, value]) => value !== undefined || !(name in given));
  return { ...given, ...Object.fromEntries(more) };
}

function membersOf(name: string, value: unknown, hint: string): Members {
  // A frame has a member for each of its columns, so it could pass for a row.
  if (engineOf(value) !== undefined) {
    throw new ValidationError(`invalid ${name}: it is a frame.`, {
      hint: "Give its rows with toRecords(frame), or one of them.",
      parameter: name,
    });
  }
  if (isObject(value)) return withoutNulls(value);
  throw invalid(name, value, hint);
}
