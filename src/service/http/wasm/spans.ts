// The memory of the key filter, and the spans that it has found.

/** The most spans of a text. */
const MAX_SPANS: i32 = 4096;
/** Spans of kind 0 that are closer than this become one, because the host searches around each of them. */
const JOINED: i32 = 4096;

const MAX_NEEDLE: i32 = 256;
/** The most bytes of text, and what may be read behind them. */
const MAX_TEXT: i32 = 1 << 20;
const MARGIN: i32 = 1024;

export const NEEDLE: usize = memory.data(MAX_NEEDLE, 16);
const SPANS: usize = memory.data(12 * MAX_SPANS, 16);
export const TEXT: usize = memory.data(MAX_TEXT + MARGIN, 16);

let count: i32 = 0;

export function maxText(): i32 {
  return MAX_TEXT;
}

export function spansAt(): usize {
  return SPANS;
}

export function clearSpans(): void {
  count = 0;
}

/** How many spans there are; -1 if there were too many. */
export function spans(): i32 {
  return count > MAX_SPANS ? -1 : count;
}

/** Adds a span. Kind 0: the key may be around it. Kind 1: base64 that may contain the key. Kind 2: the same, with escapes. */
export function addSpan(kind: i32, begin: i32, end: i32): void {
  if (count > MAX_SPANS) return;
  const last = SPANS + 12 * (count - 1);
  if (kind == 0 && count > 0 && load<i32>(last) == 0 && begin - load<i32>(last + 8) < JOINED) {
    store<i32>(last + 8, max(end, load<i32>(last + 8)));
    return;
  }
  if (count++ == MAX_SPANS) return;
  const at = SPANS + 12 * (count - 1);
  store<i32>(at, kind);
  store<i32>(at + 4, begin);
  store<i32>(at + 8, end);
}
