// Whether an escape can be part of a key.

const PERCENT: u32 = 0x25;
const AMPERSAND: u32 = 0x26;
const BACKSLASH: u32 = 0x5c;

/** Escapes of escapes that are followed. */
const MAX_CHAIN: i32 = 8;
const MAX_DIGITS: i32 = 10;

/** The end of the last escape that was read. */
let end: usize = 0;

/** The character that the escape stands for that begins here, which may be an introducer itself; {@link NONE} without one. */
export function readEscape(start: usize): u32 {
  const code: u32 = load<u8>(start);
  if (code == PERCENT) return percentEscape(start + 1);
  return code == AMPERSAND ? entity(start + 1) : backslashEscape(start + 1);
}

export function escapeEnd(): usize {
  return end;
}

/**
 * Whether the escape that begins here stands for a character that a key or another escape may consist of: a letter, a digit
 * or one of `._~-#;{}`. False is certain. An escape may contain escaped characters itself, but then these matter on their
 * own. The rules are those of ../escapes.ts.
 */
export function escapeMatters(start: usize): bool {
  let code = readEscape(start);
  for (let chain: i32 = 0; chain < MAX_CHAIN; chain++) {
    if (code == PERCENT) code = percentEscape(end);
    else if (code == AMPERSAND) code = entity(end);
    else if (code == BACKSLASH) code = backslashEscape(end);
    else return matters(code);
  }
  return true;
}

/** Not an escape. */
export const NONE: u32 = 0;
/** A character that matters, whichever it is: "a". */
const SOME: u32 = 0x61;

function percentEscape(at: usize): u32 {
  return isU(load<u8>(at)) ? hex(at + 1, 4) : hex(at, 2);
}

/** JSON has no backslash before another letter or digit. In other texts it may stand for that character. */
function backslashEscape(at: usize): u32 {
  const first: u32 = load<u8>(at);
  if (isU(first)) return hex(at + 1, 4) || SOME;
  switch (first) {
    case 0x6e: // n
      end = at + 1;
      return 10;
    case 0x72: // r
      end = at + 1;
      return 13;
    case 0x62: // b
    case 0x66: // f
    case 0x74: // t
      return NONE;
    default:
      return matters(first) ? SOME : NONE;
  }
}

function entity(at: usize): u32 {
  if (load<u8>(at) != 0x23) return namedEntity(at);
  const base: u32 = (load<u8>(at + 1) | 0x20) == 0x78 ? 16 : 10;
  let digit = base == 16 ? at + 2 : at + 1;
  const last = digit + MAX_DIGITS;
  let code: u32 = 0;
  for (; digit < last; digit++) {
    const value = hexValue(load<u8>(digit));
    if (value >= base) break;
    code = min(code * base + value, 0x10ffff);
  }
  end = load<u8>(digit) == 0x3b ? digit + 1 : digit;
  return code;
}

function namedEntity(at: usize): u32 {
  const four = load<u32>(at);
  if ((four & 0xffffff) == 0x706d61 || (four & 0xffffff) == 0x504d41) {
    end = at + 3 + (load<u8>(at + 3) == 0x3b ? 1 : 0); // amp, AMP
    return AMPERSAND;
  }
  switch (four) {
    case 0x69726570: // peri(od)
    case 0x62776f6c: // lowb(ar)
    case 0x65646e55: // Unde(rBar)
    case 0x63726570: // perc(nt)
    case 0x6c6f7362: // bsol
    case 0x696d6573: // semi
    case 0x3b6d756e: // num;
    case 0x6275636c: // lcub
    case 0x6172626c: // lbra(ce)
    case 0x62756372: // rcub
    case 0x61726272: // rbra(ce)
    case 0x3b6c6f73: // sol;
    case 0x73756c70: // plus
    case 0x4c77654e: // NewL(ine)
      return SOME;
    default:
      return NONE;
  }
}

function hex(at: usize, length: i32): u32 {
  let code: u32 = 0;
  for (let digit: i32 = 0; digit < length; digit++) {
    const value = hexValue(load<u8>(at + digit));
    if (value > 15) return NONE;
    code = code * 16 + value;
  }
  end = at + length;
  return code;
}

function hexValue(char: u32): u32 {
  if (char - 0x30 < 10) return char - 0x30;
  const letter = (char | 0x20) - 0x61;
  return letter < 6 ? letter + 10 : 99;
}

function isU(char: u32): bool {
  return (char | 0x20) == 0x75;
}

export function matters(char: u32): bool {
  if (char >= 0x80) return false;
  if ((char | 0x20) - 0x61 < 26 || char - 0x30 < 10) return true;
  switch (char) {
    case 0x23: // #
    case 0x2d: // -
    case 0x2e: // .
    case 0x3b: // ;
    case 0x5f: // _
    case 0x7b: // {
    case 0x7d: // }
    case 0x7e: // ~
      return true;
    default:
      return false;
  }
}
