/**
 * Turns the cell options of Quarto, lines at the top that begin with `#|`, into comments of the same length.
 *
 * @example
 * withoutCellOptions("#| echo: false\n1 + 1"); //=> "// echo: false\n1 + 1"
 */
export function withoutCellOptions(code: string): string {
  const lines = code.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("#|") && line.trim() !== "");
  return lines
    .map((line, at) => (line.startsWith("#|") && (end < 0 || at < end) ? `//${line.slice(2)}` : line))
    .join("\n");
}
