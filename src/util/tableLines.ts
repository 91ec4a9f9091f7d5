interface TextColumn {
  readonly lines: readonly string[];
  readonly numeric: boolean;
}

export function alignedLines(columns: readonly TextColumn[]): string[] {
  const aligned = columns.map(({ lines, numeric }) => {
    const width = Math.max(...lines.map(cellWidth));
    return lines.map((line) => {
      const space = " ".repeat(width - cellWidth(line));
      return numeric ? space + line : line + space;
    });
  });
  return (aligned[0] ?? []).map((_, at) =>
    aligned
      .map((lines) => lines[at])
      .join("  ")
      .trimEnd(),
  );
}

// Characters two columns wide in a monospace font: East Asian characters and emoji.
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu;

function cellWidth(text: string): number {
  return [...text].length + (text.match(WIDE)?.length ?? 0);
}

type Values = Readonly<Record<string, unknown>>;

/** Formats rows as aligned columns with a header. Omits columns that contain only nulls. */
export function tableLines(rows: readonly Values[]): string[] {
  const names = Object.keys(rows[0] ?? {}).filter((name) => rows.some((row) => row[name] !== null));
  return alignedLines(
    names.map((name) => ({
      lines: [name, ...rows.map((row) => String(row[name] ?? ""))],
      numeric: typeof rows[0]?.[name] !== "string",
    })),
  );
}
