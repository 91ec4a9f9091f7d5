/** Shifts are kept in a byte. */
const LONGEST = 256;

/**
 * Makes a cheap test for whether one of several short texts may stand in some bytes, in any letter case: never wrong where
 * it says no. All are looked for at once, from the last two bytes of where they might stand: two that are nowhere in them
 * let most of the bytes be skipped (Wu and Manber's search).
 *
 * @param needles ASCII, two characters and more
 * @example
 * const mayHold = probe(["s3cr3t"]);
 * mayHold(Buffer.from("no S3CR3T here")); //=> true
 */
export function probe(needles: readonly string[]): (bytes: Uint8Array) => boolean {
  const length = Math.min(LONGEST, ...needles.map((needle) => needle.length));
  const heads = needles.map((needle) => Buffer.from(needle.slice(0, length), "latin1").map(folded));
  const shifts = new Uint8Array(2 ** 16).fill(length - 1);
  for (const head of heads) {
    for (let at = 1; at < length; at++) {
      const pair = (head[at - 1] as number) * 256 + (head[at] as number);
      shifts[pair] = Math.min(shifts[pair] as number, length - 1 - at);
    }
  }
  return (bytes) => {
    for (let end = length - 1; end < bytes.length; ) {
      const shift = shifts[((bytes[end - 1] as number) | 0x20) * 256 + ((bytes[end] as number) | 0x20)] as number;
      if (shift > 0) end += shift;
      else if (heads.some((head) => stands(head, bytes, end - length + 1))) return true;
      else end++;
    }
    return false;
  };
}

/** Both letter cases are one; what else falls together only makes the test less sharp. */
function folded(byte: number): number {
  return byte | 0x20;
}

function stands(head: Uint8Array, bytes: Uint8Array, from: number): boolean {
  for (let at = 0; at < head.length; at++) if (head[at] !== folded(bytes[from + at] as number)) return false;
  return true;
}
