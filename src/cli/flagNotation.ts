import type { Option } from "commander";
import { apiNotation, type Notation } from "../errors/wording.js";
import { isObject } from "../util/isObject.js";
import { quoted } from "../util/quoted.js";

/**
 * Writes the options in a message as flags of a command. An option without a flag stays as in the API.
 *
 * @example
 * error.messageIn(flagNotation(command.options));
 * //=> "invalid --max-items: -1. Give a whole number from 0, for example --max-items 50."
 */
export function flagNotation(options: readonly Option[]): Notation {
  return (mention) => {
    if ("commandLine" in mention) return mention.commandLine;
    const { name, value } = mention;
    const long = options.find(
      (each) => each.attributeName() === (NAMES[name] ?? name) && each.negate === (value === false),
    )?.long;
    if (typeof long !== "string") return apiNotation(mention);
    if (value === undefined || typeof value === "boolean") return long;
    if (name !== "snapshot" || !isObject(value)) return `${long} ${argument(value)}`;
    const { dir, mode } = value;
    const directory = dir === undefined ? "" : `${long} ${argument(dir)} `;
    return `${directory}--snapshot-mode ${argument(mode)}`;
  };
}

/** Options of the API whose flag has another name. */
const NAMES: Readonly<Record<string, string>> = { dest: "output" };

/** A value as a shell takes it; an object as `year:begintime`. */
export function argument(value: unknown): string {
  if (isObject(value))
    return Object.entries(value)
      .map((entry) => entry.join(":"))
      .join(" ");
  const text = String(value);
  return /^[\w.,:/+-]+$/.test(text) ? text : quoted(text, 1000);
}
