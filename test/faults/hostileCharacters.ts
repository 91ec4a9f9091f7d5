/** Whatever acts on a terminal, on the direction of writing or on the shape of a line, one of each. */
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

/** What must never be printed as it is. */
export const ACTING = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** A text with all of it, and a megabyte behind it. */
export const HOSTILE_TEXT: string = `${HOSTILE.join("x")}${"A".repeat(1e6)}`;

/** The same without NUL and the megabyte, as the name of a file. */
export const HOSTILE_NAME: string = HOSTILE.join("x").replaceAll("\u0000", "");
