/** One of each character that controls a terminal, the writing direction or line breaks. */
export const HOSTILE = [
  "\u001b]0;owned\u0007",
  "\u009b31m",
  "\u202e",
  "\u2066",
  "\u0000",
  "\u0007",
  "\r\n",
  "\u2028",
  "\u200f",
  "\u007f",
];

/** Characters that must never be printed unescaped. */
export const ACTING = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** A text with all of them, followed by a megabyte. */
export const HOSTILE_TEXT: string = `${HOSTILE.join("x")}${"A".repeat(1e6)}`;

/** The same as a file name: without NUL and the megabyte. */
export const HOSTILE_NAME: string = HOSTILE.join("x").replaceAll("\u0000", "");
