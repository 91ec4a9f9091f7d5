import words from "./words.json" with { type: "json" };

/** A kind of measure. Each kind numbers its measures from 1 in every Congress. */
export type BillKind = "hr" | "s" | "hres" | "sres" | "hjres" | "sjres" | "hconres" | "sconres" | "hamdt" | "samdt";

interface KindFacts {
  /** Spellings to search first and later, with `#` for the number, the usual one first. */
  readonly first: readonly string[];
  readonly later: readonly string[];
  /** Spellings before a number in words, the usual one first: "H.R. twelve". */
  readonly spoken: readonly string[];
  /** The prefixes in a text, as lower-case words without punctuation. */
  readonly prefixes: readonly string[];
}

/** All kinds of measures. A service may tell apart "H.R.", "HR" and "H R", but not "H. R." and "H R". */
export const BILL_KINDS: Readonly<Record<BillKind, KindFacts>> = words.billKinds;

export const ALL_KINDS = Object.keys(BILL_KINDS) as readonly BillKind[];

/** Some prefixes do not name the chamber. */
const PREFIX_KINDS: ReadonlyArray<readonly [string, readonly BillKind[]]> = [
  ...ALL_KINDS.flatMap((kind) => BILL_KINDS[kind].prefixes.map((prefix) => [prefix, [kind]] as const)),
  ["amendment", ["hamdt", "samdt"]],
  ["amdt", ["hamdt", "samdt"]],
  ["joint resolution", ["hjres", "sjres"]],
  ["concurrent resolution", ["hconres", "sconres"]],
];

export const PREFIXES: readonly string[] = PREFIX_KINDS.map(([prefix]) => prefix);

const KINDS_BY_LETTERS: ReadonlyMap<string, readonly BillKind[]> = new Map(
  PREFIX_KINDS.map(([prefix, kinds]) => [prefix.replaceAll(" ", ""), kinds]),
);

/** The kinds that a prefix names, ignoring everything but letters; undefined for an unknown prefix. */
export function kindsOfPrefix(prefix: string): readonly BillKind[] | undefined {
  return KINDS_BY_LETTERS.get(prefix.replace(/[^a-z]/g, ""));
}

/** A number with its kind; a number without a prefix may be of several kinds. */
export interface BillNumber {
  readonly kinds: readonly BillKind[];
  readonly number: string;
}

/**
 * Reads a number in any spelling.
 *
 * @returns undefined for a number with an unknown prefix
 * @example
 * readBillNumber("H.R. 5,376");        //=> { kinds: ["hr"], number: "5376" }
 * readBillNumber("hr5376");            //=> { kinds: ["hr"], number: "5376" }
 * readBillNumber("Senate Bill No. 12"); //=> { kinds: ["s"], number: "12" }
 * readBillNumber("5376");              //=> { kinds: [], number: "5376" }
 */
export function readBillNumber(text: string): BillNumber | undefined {
  const words =
    text
      .replace(THOUSANDS, "")
      .toLowerCase()
      .match(/[a-z]+|\d+/g) ?? [];
  const digits = words.pop() ?? "";
  if (!/^\d/.test(digits)) return undefined;
  const number = digits.replace(/^0+(?=\d)/, "");
  if (words.at(-1) === "no" || words.at(-1) === "number") words.pop();
  if (words.length === 0) return { kinds: [], number };
  // With two numbers, either may be that of the bill: "hr5376-117".
  if (words.some((word) => /^\d/.test(word))) return undefined;
  const kinds = kindsOfPrefix(words.join(""));
  return kinds === undefined ? undefined : { kinds, number };
}

const THOUSANDS = /(?<=\d),(?=\d{3}(?!\d))/g;
