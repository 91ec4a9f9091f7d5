type Values = Readonly<Record<string, unknown>>;

/**
 * Rows as lines of aligned columns, with their names above. A column without values is left out.
 *
 * @example
 * tableLines([{ month: "2024-01", rows: 7 }]); //=> ["month    rows", "2024-01     7"]
 */
export function tableLines(rows: readonly Values[]): string[] {
  const names = Object.keys(rows[0] ?? {}).filter((name) => rows.some((row) => row[name] !== null));
  const cells = [names, ...rows.map((row) => names.map((name) => String(row[name] ?? "")))];
  const widths = names.map((_name, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  return cells.map((line) =>
    line
      .map((cell, at) =>
        (typeof rows[0]?.[names[at] ?? ""] === "string" ? cell.padEnd : cell.padStart).call(cell, widths[at] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
}
