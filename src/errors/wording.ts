import { quoted } from "../util/quoted.js";

/** An option in a message. The API writes `resume: false`, the command line `--no-resume`. */
export interface OptionMention {
  readonly name: string;
  /** Undefined for the name alone. */
  readonly value: unknown;
  /** Whether the API writes it as an object: `{ resume: false }`. */
  readonly inBraces: boolean;
}

/** A part of a message that differs between the API and the command line. */
export interface InterfaceText {
  readonly api: string;
  readonly commandLine: string;
}

/** A part of a message that an interface writes in its own way. */
export type Mention = OptionMention | InterfaceText;

/** A text that may mention options. */
export type Wording = string | ReadonlyArray<string | Mention>;

/** How an interface writes a mention. */
export type Notation = (mention: Mention) => string;

/**
 * A template for messages that mention options.
 *
 * @example
 * write(wording`Give a whole number, for example ${option("limit", 50)}.`, apiNotation);
 * //=> "Give a whole number, for example limit: 50."
 */
export function wording(strings: TemplateStringsArray, ...values: ReadonlyArray<Wording | Mention>): Wording {
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

/** Text for the API, and for the command line, where nothing replaces it by default. */
export function inApi(api: string, commandLine = ""): InterfaceText {
  return { api, commandLine };
}

/** A wording as text. */
export function write(text: Wording, notation: Notation): string {
  return partsOf(text)
    .map((part) => (typeof part === "string" ? part : notation(part)))
    .join("");
}

/** Options as TypeScript. */
export const apiNotation: Notation = (mention) => {
  if ("api" in mention) return mention.api;
  const { name, value, inBraces } = mention;
  const text = value === undefined ? name : `${name}: ${literal(value)}`;
  return inBraces ? `{ ${text} }` : text;
};

function literal(value: unknown): string {
  if (typeof value === "string") return quoted(value, 1000);
  if (typeof value !== "object" || value === null) return String(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${literal(member)}`);
  return `{ ${members.join(", ")} }`;
}

function partsOf(text: Wording | Mention): ReadonlyArray<string | Mention> {
  return typeof text === "string" || "name" in text || "api" in text ? [text] : text;
}
