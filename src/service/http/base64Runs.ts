import { beginsEscape, type Escapes } from "./escapes.js";

/** Consecutive base64 letters, with line breaks removed and escapes decoded. */
export interface Base64Run {
  readonly letters: string;
  /** The position of a letter in the text; for the number of letters, the end of the last one. */
  readonly positionOf: (letter: number) => number;
}

const OTHER = 0;
const LETTER = 1;
/** Part of an escape, or a line break. */
const JOINT = 2;

const KINDS = new Uint8Array(128);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_") {
  KINDS[char.charCodeAt(0)] = LETTER;
}
for (const char of "%&\\#;\n\r") KINDS[char.charCodeAt(0)] = JOINT;

const BACKSLASH = 0x5c;

/** How to read the runs of a text. */
export interface RunOptions {
  /** Skip shorter runs. */
  readonly shortest: number;
  /** The escapes of the same text. */
  readonly escapes: Escapes;
}

/**
 * The base64 runs of a text: in both alphabets, wrapped or not, escaped or not. It samples the text at the length of the
 * shortest run, and reads only around a sample that may belong to one.
 */
export function* base64Runs(text: string, options: RunOptions): Generator<Base64Run> {
  const { shortest } = options;
  for (let from = 0, probe = shortest - 1; probe < text.length; probe = from + shortest - 1) {
    if (kindAt(text, probe) === OTHER) {
      from = probe + 1;
      continue;
    }
    let begin = probe;
    while (begin > from && kindAt(text, begin - 1) !== OTHER) begin--;
    let end = probe + 1;
    while (end < text.length && kindAt(text, end) !== OTHER) end++;
    if (end - begin >= shortest) {
      const start = begin;
      if (isPlain(text, begin, end)) yield { letters: text.slice(begin, end), positionOf: (letter) => start + letter };
      else yield* runsBetween(text, begin, end, options);
    }
    from = end + 1;
  }
}

function kindAt(text: string, at: number): number {
  const char = text.charCodeAt(at);
  return char < 128 ? (KINDS[char] as number) : OTHER;
}

function isPlain(text: string, begin: number, end: number): boolean {
  for (let at = begin; at < end; at++) if (kindAt(text, at) !== LETTER) return false;
  return true;
}

/**
 * The runs of a piece without other characters. A character before base64 may look like an escape together with its first
 * letters (`%` and `0a`), so every reading is tried: no escapes, those of one kind, all.
 */
function* runsBetween(text: string, begin: number, end: number, options: RunOptions): Generator<Base64Run> {
  const introducers = new Set<number>();
  for (let at = begin; at < end; at++) {
    const char = text.charCodeAt(at);
    if (beginsEscape(char)) introducers.add(char);
  }
  yield* runsReading(new Set(), text, begin, end, options);
  if (introducers.size > 1)
    for (const one of introducers) yield* runsReading(new Set([one]), text, begin, end, options);
  if (introducers.size > 0) yield* runsReading(introducers, text, begin, end, options);
}

function* runsReading(
  undone: ReadonlySet<number>,
  text: string,
  begin: number,
  end: number,
  { shortest, escapes }: RunOptions,
): Generator<Base64Run> {
  const letters = new Uint8Array(end - begin);
  const positions = new Int32Array(end - begin);
  let first = 0;
  let count = 0;
  for (let at = begin; at <= end; ) {
    let char = at < end ? text.charCodeAt(at) : -1;
    let next = at + 1;
    if (undone.has(char)) {
      char = escapes.lastChar(at);
      next = escapes.lastEnd(at);
    }
    if (char >= 0 && char < 128 && KINDS[char] === LETTER) {
      letters[count] = char;
      positions[count++] = at;
    } else if (char !== 10 && char !== 13 && (char !== BACKSLASH || undone.size === 0)) {
      if (count - first >= shortest) {
        const [from, to, behind] = [first, count, at];
        yield {
          letters: Buffer.from(letters.subarray(from, to)).toString("latin1"),
          positionOf: (letter) => (from + letter < to ? (positions[from + letter] as number) : behind),
        };
      }
      first = count;
    }
    at = next;
  }
}
