/** The six bits of each letter of base64, in either alphabet. */
const SIX_BITS = new Uint8Array(128);
for (const [bits, char] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries()) {
  SIX_BITS[char.charCodeAt(0)] = bits;
}
SIX_BITS["-".charCodeAt(0)] = 62;
SIX_BITS["_".charCodeAt(0)] = 63;

/**
 * Whether so many bytes of what letters of base64 stand for follow each other that can be text: printable, or a line
 * break. Words and paths that only look like base64 nearly never stand for any.
 *
 * @param from the letter where the first group of four begins
 */
export function mayEncodeText(letters: string, from: number, length: number, beyondAscii: boolean): boolean {
  let run = 0;
  let bits = 0;
  for (let at = from, held = 0; at < letters.length; at++) {
    bits = ((bits << 6) | (SIX_BITS[letters.charCodeAt(at)] as number)) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    const byte = (bits >> held) & 0xff;
    const isText = byte < 0x80 ? (byte > 0x1f && byte < 0x7f) || byte === 10 || byte === 13 : beyondAscii;
    run = isText ? run + 1 : 0;
    if (run === length) return true;
  }
  return false;
}
