/** Control characters that XML does not allow, even escaped. Tab and line feed are allowed. */
const CONTROL = String.raw`\0-\x08\x0b-\x1f`;

// An underscore is escaped where it begins what readers take for an escaped character, or would after its neighbours are
// escaped. With the u flag, the surrogate range matches lone surrogates only.
const SPECIAL = new RegExp(String.raw`[<>&${CONTROL}\ud800-\udfff\ufffe\uffff]|_(?=x[\dA-Fa-f]{4}[_${CONTROL}])`, "gu");

const ESCAPED: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", _: "_x005F_" };

/**
 * Escapes text for XML the way Office does: `_x000D_` for a control character, `_x005F_` for an underscore that begins such
 * a sequence. Lone surrogates and non-characters become U+FFFD.
 *
 * @example
 * xmlText("R&D\r\n"); //=> "R&amp;D_x000D_\n"
 * xmlText("_x0041_"); //=> "_x005F_x0041_"
 */
export function xmlText(text: string): string {
  return text.replace(
    SPECIAL,
    (char) =>
      ESCAPED[char] ??
      (char > "\u001f" ? "\ufffd" : `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`),
  );
}

/** The first `length` UTF-16 units of a text, or one less to avoid splitting a surrogate pair. */
export function truncateText(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
