/** What cannot stand in XML even if escaped its way; tab and line feed can. */
const CONTROL = String.raw`\0-\x08\x0b-\x1f`;

// An underscore is escaped where it begins, or would once its neighbours are escaped, what readers take for an escaped
// character. Of surrogates the flag leaves only the halves that have lost their other half.
const SPECIAL = new RegExp(String.raw`[<>&${CONTROL}\ud800-\udfff\ufffe\uffff]|_(?=x[\dA-Fa-f]{4}[_${CONTROL}])`, "gu");

/**
 * Text as it stands between the tags of XML, the way Office does it: `_x000D_` for a control character,
 * `_x005F_` for an underscore that begins such a thing. Halves of surrogate pairs and the non-characters become U+FFFD.
 *
 * @example
 * xmlText("R&D\r\n"); //=> "R&amp;D_x000D_\n"
 * xmlText("_x0041_"); //=> "_x005F_x0041_"
 */
export function xmlText(text: string): string {
  return text.replace(SPECIAL, escaped);
}

function escaped(char: string): string {
  switch (char) {
    case "&":
      return "&amp;";
    case "<":
      return "&lt;";
    case ">":
      return "&gt;";
    case "_":
      return "_x005F_";
    default:
      return char > "\u001f" ? "\ufffd" : `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
  }
}
