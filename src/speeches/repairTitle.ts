import titleWords from "./titleWords.json" with { type: "json" };

interface RepairedTitle {
  readonly title: string;
  /** The longest part of a title that could not be repaired completely; undefined if it is short. */
  readonly intactPart: string | undefined;
}

const LOST_LETTERS = /[vxyz]/;
const EACH_LOST_LETTER = /[vxyz]/g;
/** The longest run of fragments that may be one word. */
const MAX_FRAGMENTS = 7;
const MIN_INTACT_WORDS = 2;
/** Costs of a word of the title. The segmentation with the lowest sum is chosen. */
const COST = { plain: 2, known: 1, empty: 10 };
const FUNCTION_WORDS = new Set(
  "a an the of and or for to in on at with from as its per not under against no their our through into".split(" "),
);

const vocabulary = new Map<string, string>();

/** Words of bill titles with a v, x, y or z, by their form without these letters. Of two with the same form, the more common one. */
function knownWords(): ReadonlyMap<string, string> {
  if (vocabulary.size > 0) return vocabulary;
  const words = titleWords.words.split(" ");
  for (const word of [...words, ...words.flatMap(inflected)]) {
    if (!LOST_LETTERS.test(word)) continue;
    const all = word.replace(EACH_LOST_LETTER, " ");
    // A capital is never lost, so a word may also have its first letter.
    for (const form of [all, word.charAt(0) + all.slice(1)])
      if (form !== word && !vocabulary.has(form)) vocabulary.set(form, word);
  }
  return vocabulary;
}

/** Likely inflections. Some do not exist, but these are in no title. */
function inflected(word: string): string[] {
  if (word.endsWith("y")) return [`${word}s`, `${word.slice(0, -1)}ies`, `${word}ing`, `${word.slice(0, -1)}ied`];
  if (word.endsWith("e")) return [`${word}s`, `${word}d`, `${word.slice(0, -1)}ing`];
  return [`${word}s`, `${word}ed`, `${word}ing`, `${word}er`];
}

/**
 * Repairs a title that lost its letters v, x, y and z: a blank becomes one of them where that makes a known word.
 *
 * @returns undefined if the title is not damaged
 * @example
 * repairTitle("Fle ibilit  De elopment Act")?.title; //=> "Flexibility Development Act"
 */
export function repairTitle(title: string): RepairedTitle | undefined {
  if (LOST_LETTERS.test(title)) return undefined;
  // The service may have cut a lost letter at the end.
  const fragments = `${title.trimEnd()} `.split(" ");
  const parts = bestSegmentation(fragments);
  const remnants = remnantsOf(parts);
  if (!remnants.includes(true) && !parts.some(({ isRepaired }) => isRepaired)) return undefined;
  const repaired = parts.map(({ text }) => text).join(" ");
  return { title: repaired.replace(/\s+/g, " ").trim(), intactPart: longestIntact(parts, remnants) };
}

interface Part {
  readonly text: string;
  readonly isRepaired: boolean;
}

/** A segmentation of the fragments from one on: its first word, and the segmentation of the others. */
interface Segmentation extends Part {
  readonly cost: number;
  readonly next: Segmentation | undefined;
}

/** Splits the fragments into words so that as few as possible remain unexplained. */
function bestSegmentation(fragments: readonly string[]): Part[] {
  const segmentations: Segmentation[] = [];
  const segment = (text: string, isRepaired: boolean, cost: number, end: number): Segmentation => {
    const next = segmentations[end];
    return { text, isRepaired, cost: cost + (next?.cost ?? 0), next };
  };
  for (let at = fragments.length - 1; at >= 0; at--) {
    const plain = fragments[at] as string;
    const empty = at === fragments.length - 1 ? 0 : COST.empty;
    let best = segment(plain, false, plain === "" ? empty : COST.plain, at + 1);
    for (let end = at + 2; end <= Math.min(fragments.length, at + MAX_FRAGMENTS); end++) {
      const word = repairedWord(fragments.slice(at, end).join(" "));
      const repaired = word === undefined ? undefined : segment(word, true, COST.known, end);
      if (repaired !== undefined && repaired.cost < best.cost) best = repaired;
    }
    segmentations[at] = best;
  }
  const parts: Part[] = [];
  for (let part = segmentations[0]; part !== undefined; part = part.next) parts.push(part);
  return parts;
}

/** A known word with the capitals and punctuation of the fragments; undefined if there is none. */
function repairedWord(joined: string): string | undefined {
  const [, before = "", core = "", after = ""] = /^([^a-z ]*?)([a-z][a-z ]*)([^a-z ]*)$/i.exec(joined) ?? [];
  const word = knownWords().get(core.toLowerCase());
  if (word === undefined) return undefined;
  const letters = [...core].map((letter, at) => (letter === " " ? word.charAt(at) : letter));
  return `${before}${letters.join("")}${after}`;
}

/** Which parts may be remnants of damaged words. In a title, words begin with a capital. */
function remnantsOf(parts: readonly Part[]): boolean[] {
  const capitals = parts.filter(({ text }) => /^[^a-z]*[A-Z]/.test(text)).length;
  const isTitleCase = capitals * 2 > parts.length;
  return parts.map(({ text, isRepaired }, at) => {
    if (isRepaired || at === parts.length - 1) return false;
    return text === "" || (isTitleCase && /^[a-z]/.test(text) && !FUNCTION_WORDS.has(text));
  });
}

/** The longest run of intact words. The word before a remnant is damaged, too. */
function longestIntact(parts: readonly Part[], remnants: readonly boolean[]): string | undefined {
  if (!remnants.includes(true)) return undefined;
  let [longest, end, run] = [0, 0, 0];
  parts.forEach(({ text }, at) => {
    run = text !== "" && remnants[at] === false && remnants[at + 1] !== true ? run + 1 : 0;
    if (run > longest) [longest, end] = [run, at + 1];
  });
  const words = parts.slice(end - longest, end).map(({ text }) => text);
  return longest < MIN_INTACT_WORDS ? undefined : words.join(" ");
}
