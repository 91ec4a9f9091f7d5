// Pieces of a text that may be base64.

import { escapeEnd, matters, NONE, readEscape } from "./escapeMatters";
import { addSpan, TEXT } from "./spans";

/** The six bits of each base64 letter in both alphabets; 64 for a part of an escape or a line break, 65 for any other byte. */
const KINDS: usize = memory.data(256);

const JOINT: u8 = 64;
const OTHER: u8 = 65;

for (let byte: i32 = 0; byte < 256; byte++) store<u8>(KINDS + byte, OTHER);
for (let at: i32 = 0; at < 26; at++) {
  store<u8>(KINDS + 0x41 + at, at as u8);
  store<u8>(KINDS + 0x61 + at, (26 + at) as u8);
}
for (let at: i32 = 0; at < 10; at++) store<u8>(KINDS + 0x30 + at, (52 + at) as u8);
store<u8>(KINDS + 0x2b, 62); // +
store<u8>(KINDS + 0x2d, 62); // -
store<u8>(KINDS + 0x2f, 63); // /
store<u8>(KINDS + 0x5f, 63); // _
store<u8>(KINDS + 0x25, JOINT); // %
store<u8>(KINDS + 0x26, JOINT); // &
store<u8>(KINDS + 0x5c, JOINT); // backslash
store<u8>(KINDS + 0x23, JOINT); // #
store<u8>(KINDS + 0x3b, JOINT); // ;
store<u8>(KINDS + 0x0a, JOINT);
store<u8>(KINDS + 0x0d, JOINT);

/** Whether a byte can be part of base64, escaped and wrapped or not. */
export function isPieceByte(at: usize): bool {
  return load<u8>(KINDS + load<u8>(at)) != OTHER;
}

/** The six bits of the letters of a run, without escapes and line breaks. */
const MAX_RUN: i32 = 1 << 16;
const RUN: usize = memory.data(MAX_RUN);

/** Adds a piece if it may encode text that contains the key. */
export function handlePiece(begin: i32, end: i32, shortestRun: i32, keyLength: i32, beyondAscii: bool): void {
  let introducer: u8 = 0;
  for (let at = begin; at < end; at++) {
    const byte = load<u8>(TEXT + at);
    if (byte != 0x25 && byte != 0x26 && byte != 0x5c) continue;
    // Escapes of several kinds can be read in several ways. That is left to the host.
    if (introducer != 0 && introducer != byte) return addSpan(2, begin, end);
    introducer = byte;
  }
  if (end - begin > MAX_RUN) return addSpan(2, begin, end);
  const kind = introducer == 0 ? 1 : 2;
  if (hasText(begin, end, 0, shortestRun, keyLength, beyondAscii)) return addSpan(kind, begin, end);
  if (introducer != 0 && hasText(begin, end, introducer, shortestRun, keyLength, beyondAscii)) addSpan(2, begin, end);
}

/** Whether a piece has a run of letters that may encode text, if the escapes of `introducer` are decoded. */
function hasText(
  begin: i32,
  end: i32,
  introducer: u8,
  shortestRun: i32,
  keyLength: i32,
  beyondAscii: bool,
): bool {
  let length: i32 = 0;
  for (let at = begin; at < end; at++) {
    const byte = load<u8>(TEXT + at);
    const bits = load<u8>(KINDS + byte);
    if (bits < JOINT) store<u8>(RUN + length++, bits);
    else if (byte == 0x0a || byte == 0x0d) continue;
    else {
      if (introducer != 0 && byte == introducer) {
        const code = readEscape(TEXT + at);
        // A letter, or the beginning of another escape.
        if (matters(code) || code == 0x2b || code == 0x2f || isIntroducer(code)) return true;
        if (code != NONE) at = (escapeEnd() - TEXT) as i32 - 1;
        if (code == 0x0a || code == 0x0d || (code == NONE && byte == 0x5c)) continue;
      }
      if (length >= shortestRun && mayEncodeText(length, keyLength, beyondAscii)) return true;
      length = 0;
    }
  }
  return length >= shortestRun && mayEncodeText(length, keyLength, beyondAscii);
}

function isIntroducer(char: u32): bool {
  return char == 0x25 || char == 0x26 || char == 0x5c;
}

/** Whether the run may encode text. Unrelated letters before base64 shift its groups of four. See ../mayEncodeText.ts. */
function mayEncodeText(length: i32, keyLength: i32, beyondAscii: bool): bool {
  for (let shift: i32 = 0; shift < 4; shift++) {
    let run: i32 = 0;
    let bits: u32 = 0;
    let held: i32 = 0;
    for (let at = shift; at < length; at++) {
      bits = (bits << 6) | load<u8>(RUN + at);
      held += 6;
      if (held < 8) continue;
      held -= 8;
      const byte = (bits >> held) & 0xff;
      const isText = byte < 0x80 ? (byte > 0x1f && byte < 0x7f) || byte == 10 || byte == 13 : beyondAscii;
      run = isText ? run + 1 : 0;
      if (run == keyLength) return true;
      // Too few letters are left for the key.
      if (!isText && (length - at) * 6 < keyLength * 8 - 8) break;
    }
  }
  return false;
}
