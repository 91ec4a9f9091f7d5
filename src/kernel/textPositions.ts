/** Jupyter counts characters of a text, JavaScript counts UTF-16 units: an emoji is one there and two here. */
export function toUnits(text: string, characters: number): number {
  return [...text].slice(0, Math.max(0, characters)).join("").length;
}

/** The other way round. */
export function toCharacters(text: string, units: number): number {
  return [...text.slice(0, Math.max(0, units))].length;
}
