import { quoted } from "../util/quoted.js";

/** An option in a message. The API writes `resume: false`, the command line `--no-resume`. */
export interface OptionMention {
  readonly name: string;
  /** Undefined for the name alone. */
  readonly value: unknown;
  /** Whether the API writes it as an object: `{ resume: false }`. */
  readonly inBraces: boolean;
}

/** A text that may mention options. */
export type Wording = string | ReadonlyArray<string | OptionMention>;

/** How an interface writes an option. */
export type Notation = (mention: OptionMention) => string;

/**
 * A template for messages that mention options.
 *
 * @example
 * write(wording`Give a whole number, for example ${option("limit", 50)}.`, apiNotation);
 * //=> "Give a whole number, for example limit: 50."
 */
export function wording(strings: TemplateStringsArray, ...values: ReadonlyArray<Wording | OptionMention>): Wording {
  return strings.flatMap((text, at) => [text, ...partsOf(values[at] ?? "")]);
}

/** Mentions an option by its name, or with a value: `limit`, `limit: 50`. */
export function option(name: string, value?: unknown): OptionMention {
  return { name, value, inBraces: false };
}

/** Mentions an option as an argument: `{ resume: false }`. */
export function optionObject(name: string, value: unknown): OptionMention {
  return { name, value, inBraces: true };
}

/** A wording as text. */
export function write(text: Wording, notation: Notation): string {
  return partsOf(text)
    .map((part) => (typeof part === "string" ? part : notation(part)))
    .join("");
}

/** Options as TypeScript. */
export const apiNotation: Notation = ({ name, value, inBraces }) => {
  const text = value === undefined ? name : `${name}: ${literal(value)}`;
  return inBraces ? `{ ${text} }` : text;
};

function literal(value: unknown): string {
  if (typeof value === "string") return quoted(value, 1000);
  if (typeof value !== "object" || value === null) return String(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${literal(member)}`);
  return `{ ${members.join(", ")} }`;
}

function partsOf(text: Wording | OptionMention): ReadonlyArray<string | OptionMention> {
  return typeof text === "string" || "name" in text ? [text] : text;
}
