/**
 * The first `length` characters of a text, with an ellipsis where something was left out. A surrogate pair is never
 * cut in two.
 *
 * @example
 * clip("The committee will come to order", 13); //=> "The committee…"
 */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
  return `${text.slice(0, end)}…`;
}
