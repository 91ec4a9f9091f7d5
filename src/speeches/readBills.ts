import { ValidationError } from "../errors/index.js";
import { invalid, knownKeys, show } from "../errors/validators.js";
import { ENGINES, engines } from "../frames/engine.js";
import type { FrameEngine } from "../frames/frameEngine.js";
import { isObject } from "../util/isObject.js";
import { withoutNulls } from "../util/withoutNulls.js";

/** A bill as it was given: what is not there, or null or empty in a row, is `undefined`. */
export interface GivenBill {
  readonly title?: unknown;
  readonly number?: unknown;
  readonly congress?: unknown;
  readonly variants?: unknown;
}

/** The arguments of `speechesOnBill`, sorted. */
export interface GivenBills {
  readonly bills: readonly GivenBill[];
  readonly many: boolean;
  /** The options; of a single bill its own members too. */
  readonly options: Readonly<Record<string, unknown>>;
}

type Members = Readonly<Record<string, unknown>>;

const HINT =
  'Give { title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 }, a row of archive.bills(…), or a list of these.';

/**
 * Sorts the arguments of `speechesOnBill`: bills here, options there.
 *
 * @throws ValidationError for anything that is no bill, no row of bills and no list of these
 */
export function readBills(first: unknown, second: unknown): GivenBills {
  const further =
    second === undefined || second === null
      ? {}
      : membersOf("options", second, 'Give an object, for example { format: "csv" }.');
  if (Array.isArray(first)) return several(first, further);
  const given = membersOf("bill", first, HINT);
  if (isBillRow(given)) {
    const bill = { ...fromRow(given), variants: further.variants };
    return { bills: [bill], many: false, options: optionsOfRow(further) };
  }
  const both = merged(given, further);
  const { bills, ...rest } = both;
  if (bills !== undefined) {
    if (!Array.isArray(bills)) throw invalid("bills", bills, "Give a list of bills.");
    return several(bills, rest);
  }
  const { bill, title, number, congress, variants } = both;
  const base = bill === undefined ? {} : readBill(bill);
  const own = Object.entries({ title, number, congress, variants }).filter(([, value]) => value !== undefined);
  return { bills: [{ ...base, ...Object.fromEntries(own) }], many: false, options: both };
}

/** Options beside a row: what the row says of the bill may not be said again. */
function optionsOfRow(further: Members): Members {
  for (const name of ["title", "number", "congress", "bill"]) {
    if (further[name] === undefined) continue;
    throw new ValidationError(`invalid ${name}: the row says already what to find.`, {
      hint: `Give both in one object: { bill: row, ${name}: ${show(further[name])} }.`,
      parameter: name,
    });
  }
  return further;
}

function several(bills: readonly unknown[], further: Members): GivenBills {
  if (further.variants !== undefined) {
    throw new ValidationError("invalid variants: they would be searched for every bill.", {
      hint: "Give them with the bill that they belong to: [{ title, variants }, …].",
      parameter: "variants",
    });
  }
  return { bills: bills.map(readBill), many: true, options: further };
}

function readBill(bill: unknown): GivenBill {
  const members = membersOf("bill", bill, HINT);
  if (isBillRow(members)) return fromRow(members);
  knownKeys(members, ["title", "number", "congress", "variants"], "member of a bill");
  return members;
}

function isBillRow(members: Members): boolean {
  return "billtitle" in members || "billnumber" in members;
}

/** In rows, unknown values are null or empty text. */
function fromRow({ billtitle, billnumber, congress }: Members): GivenBill {
  const known = (value: unknown) => (value === null || value === "" ? undefined : value);
  return { title: known(billtitle), number: known(billnumber), congress: known(congress) };
}

function merged(given: Members, further: Members): Members {
  for (const [name, value] of Object.entries(further)) {
    if (value === undefined || given[name] === undefined) continue;
    throw new ValidationError(`invalid ${name}: it is given twice, as ${show(given[name])} and as ${show(value)}.`, {
      hint: "Give it once.",
      parameter: name,
    });
  }
  const more = Object.entries(further).filter(([name, value]) => value !== undefined || !(name in given));
  return { ...given, ...Object.fromEntries(more) };
}

function membersOf(name: string, value: unknown, hint: string): Members {
  for (const engine of ENGINES) {
    // A frame has a column, and so a member, of any name.
    if (!(engines[engine] as FrameEngine<unknown>).isFrame(value)) continue;
    throw new ValidationError(`invalid ${name}: it is a frame.`, {
      hint: "Give its rows, toRecords(frame), or one of them.",
      parameter: name,
    });
  }
  if (isObject(value)) return withoutNulls(value);
  throw invalid(name, value, hint);
}
