import { phrase } from "./phrase.js";

/** The parts of each kind of number, by its letters alone. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  HR: ["H", "R"],
  S: ["S"],
  HRES: ["H", "Res"],
  SRES: ["S", "Res"],
  HJRES: ["H", "J", "Res"],
  SJRES: ["S", "J", "Res"],
  HCONRES: ["H", "Con", "Res"],
  SCONRES: ["S", "Con", "Res"],
};

/**
 * The number of a bill in the forms that are spoken and captioned, each as a phrase. However it is typed, the forms are
 * the same; a number with a prefix that is not known is searched as it is typed.
 *
 * @example
 * numberForms("hr5376");      //=> ['"H.R. 5376"', '"HR 5376"', '"H R 5376"']
 * numberForms("S.J.Res. 10"); //=> ['"S.J.Res. 10"', '"SJRes 10"', '"S J Res 10"']
 */
export function numberForms(number: string): string[] {
  const [, letters = "", digits] = /^([A-Z]+)0*([1-9]\d*|0)$/.exec(number.toUpperCase().replace(/[\s.-]/g, "")) ?? [];
  const parts = Object.hasOwn(KINDS, letters) ? KINDS[letters] : undefined;
  if (parts === undefined) return [phrase(number)].filter((form) => form !== undefined);
  const prefixes = new Set([`${parts.join(".")}.`, parts.join(""), parts.join(" ")]);
  return [...prefixes].map((prefix) => `"${prefix} ${digits}"`);
}

/** Whether a number is digits alone, which the text of any speech may hold: "5376". */
export function isBareNumber(number: string): boolean {
  return /^\d+$/.test(number.trim());
}
