import { ALL_KINDS, type BillKind } from "./judge/billKinds.js";

const MAX_LINK_LENGTH = 2000;
/** How links spell a kind besides its abbreviation. */
const LINK_NAMES: ReadonlyMap<string, BillKind> = new Map<string, BillKind>([
  ["house-bill", "hr"],
  ["senate-bill", "s"],
  ["house-resolution", "hres"],
  ["senate-resolution", "sres"],
  ["house-joint-resolution", "hjres"],
  ["senate-joint-resolution", "sjres"],
  ["house-concurrent-resolution", "hconres"],
  ["senate-concurrent-resolution", "sconres"],
  ["house-amendment", "hamdt"],
  ["senate-amendment", "samdt"],
]);
/** Kinds that a title suggests; the first pattern that matches counts. */
const TITLE_HINTS: ReadonlyArray<readonly [RegExp, readonly BillKind[]]> = [
  [/\bconcurrent resolution\b/i, ["hconres", "sconres"]],
  [
    /\bjoint resolution\b|^(?:disapproving|proposing an amendment|making (?:further )?continuing)\b/i,
    ["hjres", "sjres"],
  ],
  [/\bact(?: of \d{4})?$/i, ["hr", "s"]],
  [/\bresolution\b|^(?:providing for (?:the )?consideration|electing)\b/i, ["hres", "sres"]],
  [/^[a-z]+ing\b(?! act\b)/i, ["hres", "sres", "hconres", "sconres"]],
];

/**
 * The kinds that a bill with a bare number may have: the one that its link names, or those that its title suggests.
 *
 * @example
 * kindsOf("https://example.org/117/hr5376", "5376", undefined);              //=> ["hr"]
 * kindsOf("", "5376", "Inflation Reduction Act");                            //=> ["hr", "s"]
 * kindsOf("", "12", "Recognizing the importance of libraries");              //=> ["hres", "sres", "hconres", "sconres"]
 */
export function kindsOf(link: string | undefined, number: string, title: string | undefined): readonly BillKind[] {
  const linked = link === undefined ? undefined : kindOfLink(link.slice(0, MAX_LINK_LENGTH).toLowerCase(), number);
  if (linked !== undefined) return [linked];
  const trimmed = (title ?? "").trim();
  return TITLE_HINTS.find(([pattern]) => pattern.test(trimmed))?.[1] ?? ["hr", "s"];
}

function kindOfLink(link: string, number: string): BillKind | undefined {
  const parts = link.match(/[a-z.-]+|\d+/g) ?? [];
  for (let at = 1; at < parts.length; at++) {
    const words = (parts[at - 1] as string).split(/[.-]/).filter(Boolean);
    const kind = LINK_NAMES.get(words.join("-")) ?? ALL_KINDS.find((known) => known === words.join(""));
    if (parts[at] === number && kind !== undefined) return kind;
  }
  return undefined;
}
