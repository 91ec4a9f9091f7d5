/** The six bits of each base64 letter, in both alphabets. */
const SIX_BITS = new Uint8Array(128);
for (const [bits, char] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries()) {
  SIX_BITS[char.charCodeAt(0)] = bits;
}
SIX_BITS["-".charCodeAt(0)] = 62;
SIX_BITS["_".charCodeAt(0)] = 63;

/**
 * Whether base64 letters decode to at least `length` consecutive bytes of text: printable characters or line breaks. Words
 * and paths that only look like base64 almost never do.
 *
 * @param from the letter that starts the first group of four
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
