/** Shifts are kept in a byte. */
const LONGEST = 256;

/**
 * Makes a cheap test for whether a short text may stand in another one, in any letter case: never wrong where it says no.
 * It is looked for from the last two characters of where it might stand: two that are nowhere in it let most of the text
 * be skipped (Wu and Manber's search).
 *
 * @param needle ASCII, two characters and more
 * @example
 * const mayHold = probe("s3cr3t");
 * mayHold("no S3CR3T here"); //=> true
 */
export function substringFilter(needle: string): (text: string) => boolean {
  const head = Uint8Array.from(needle.slice(0, LONGEST), (char) => folded(char.charCodeAt(0)));
  const { length } = head;
  const shifts = new Uint8Array(2 ** 16).fill(length - 1);
  for (let at = 1; at < length; at++) {
    shifts[(head[at - 1] as number) * 256 + (head[at] as number)] = length - 1 - at;
  }
  return (text) => {
    for (let end = length - 1; end < text.length; ) {
      const pair = folded(text.charCodeAt(end - 1)) * 256 + folded(text.charCodeAt(end));
      const shift = shifts[pair] as number;
      if (shift > 0) end += shift;
      else if (stands(head, text, end - length + 1)) return true;
      else end++;
    }
    return false;
  };
}

/** Both letter cases are one; what else falls together only makes the test less sharp. */
function folded(char: number): number {
  return (char | 0x20) & 0xff;
}

function stands(head: Uint8Array, text: string, from: number): boolean {
  for (let at = 0; at < head.length; at++) if (head[at] !== folded(text.charCodeAt(from + at))) return false;
  return true;
}
