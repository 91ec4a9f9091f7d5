/** One of each character that controls a terminal, the writing direction or line breaks. */
export const HOSTILE = "\u001b]0;owned\u0007¦\u009b31m¦\u202e¦\u2066¦\u0000¦\u0007¦\r\n¦\u2028¦\u200f¦\u007f".split(
  "¦",
);

/** Characters that must be escaped when printed. */
export const UNSAFE = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** All of them, followed by a megabyte of text. */
export const HOSTILE_TEXT: string = `${HOSTILE.join("x")}${"A".repeat(1e6)}`;

/** All of them except NUL, as a file name. */
export const HOSTILE_NAME: string = HOSTILE.join("x").replaceAll("\u0000", "");
