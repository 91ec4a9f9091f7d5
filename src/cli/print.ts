import { visible } from "../notebook/display/visible.js";

/** Prints lines. What came from elsewhere cannot act on the terminal. */
export function printLines(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${visible(line)}\n`).join(""));
}

/** What JSON leaves as it is, and a terminal acts on. */
const ODD = /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Prints a value as JSON. What a terminal would act on is escaped, as JSON can. */
export function printJson(value: unknown): void {
  const text = JSON.stringify(value, null, 2);
  process.stdout.write(
    `${text.replace(ODD, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`,
  );
}
