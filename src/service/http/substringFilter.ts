/** Shifts must fit into a byte. */
const MAX_LENGTH = 256;

/**
 * Creates a fast, case-insensitive test for whether a text may contain `needle`. `false` is certain, `true` is not. It looks
 * at the last two characters of each possible position and skips ahead if the needle does not contain them (Wu and
 * Manber's search).
 *
 * @param needle ASCII, at least two characters
 * @example
 * const mayContain = probe("s3cr3t");
 * mayContain("no S3CR3T here"); //=> true
 */
export function substringFilter(needle: string): (text: string) => boolean {
  const head = Uint8Array.from(needle.slice(0, MAX_LENGTH), (char) => folded(char.charCodeAt(0)));
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
      else if (matchesAt(head, text, end - length + 1)) return true;
      else end++;
    }
    return false;
  };
}

/** Equates both cases of a letter. Other characters that fall together only make the test less selective. */
function folded(char: number): number {
  return (char | 0x20) & 0xff;
}

function matchesAt(head: Uint8Array, text: string, from: number): boolean {
  for (let at = 0; at < head.length; at++) if (head[at] !== folded(text.charCodeAt(from + at))) return false;
  return true;
}
