export interface Variable {
  readonly name: string;
  readonly kind: "choice" | "number" | "text";
  readonly values: readonly string[];
}

/** What is wrong with a cell, and what to give. */
export interface CodeFault {
  readonly name: string;
  readonly value: unknown;
  readonly hint: string;
}

export interface CheckedRow {
  readonly row: string;
  readonly coder: string;
  readonly values: ReadonlyArray<readonly [string, string | number | null]>;
  readonly coded_at: string | null;
  /** `coded_at` in milliseconds since 1970; -Infinity if it is missing. */
  readonly time: number;
}

/** The rules for codes. The coding page contains the source of this function, so it uses nothing from outside. */
export function codeRules() {
  /** The code of a cell or an answer; null for none. */
  function checkCode({ name, kind, values }: Variable, value: unknown): string | number | null | CodeFault {
    if (value === undefined || value === null || value === "") return null;
    if (kind === "text") return String(value);
    if (kind === "number") {
      const number = typeof value === "string" && value.trim() !== "" ? Number(value.replace(",", ".")) : value;
      return typeof number === "number" && Number.isFinite(number) ? number : { name, value, hint: "Give a number." };
    }
    const text = String(value).trim().toLowerCase();
    // A file may have the answers yes and no as booleans.
    const answer = value === true ? "yes" : value === false ? "no" : text;
    const code = [text, answer].flatMap((one) => values.filter((each) => each.toLowerCase() === one))[0];
    return code ?? { name, value, hint: `Give one of ${values.map((each) => JSON.stringify(each)).join(", ")}.` };
  }

  /** Milliseconds of an ISO time, in UTC unless it says otherwise; NaN for anything else. */
  function timeOf(text: string): number {
    const [, day, clock, zone = "Z"] =
      /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
    const isDay = day !== undefined && new Date(Date.parse(`${day}T00:00Z`) || 0).toISOString().startsWith(day);
    return isDay ? Date.parse(`${day}T${clock ?? "00:00"}${zone}`) : Number.NaN;
  }

  /** Checks the cells of a row; undefined if nothing is coded in it. */
  function checkRow(
    { hash, variables }: { readonly hash: string; readonly variables: readonly Variable[] },
    isKnown: (row: string) => boolean,
    cells: ReadonlyMap<string, string | null>,
  ): CheckedRow | CodeFault | undefined {
    // The page puts an apostrophe before what a spreadsheet would run as a formula.
    const cell = (name: string) => cells.get(name)?.replace(/^'(?=[=+\-@\t\r'])/, "") ?? null;
    const names = ["coder", "codebook", "row", ...variables.map(({ name }) => name)];
    const missing = names.filter((name) => !cells.has(name)).join(", ");
    if (missing !== "") return { name: "file", value: missing, hint: `It lacks the columns ${missing}.` };
    const [codebook, row, coder = "", coded_at] = ["codebook", "row", "coder", "coded_at"].map(cell);
    if (codebook !== hash) return { name: "codebook", value: codebook, hint: `The passages are coded with "${hash}".` };
    if (row == null || !isKnown(row)) return { name: "row", value: row, hint: "It is not in the sample." };
    if (coder === null || coder.trim() === "") return { name: "coder", value: coder, hint: "Every row has one." };
    const time = coded_at == null ? Number.NEGATIVE_INFINITY : timeOf(coded_at);
    const hint = 'Give a time like "2026-01-31T09:30:00Z".';
    if (Number.isNaN(time)) return { name: "coded_at", value: coded_at, hint };
    const codes = variables.map((each) => [each.name, checkCode(each, cell(each.name))] as const);
    const wrong = codes.find(([, code]) => typeof code === "object" && code !== null)?.[1] as CodeFault | undefined;
    if (wrong !== undefined || codes.every(([, code]) => code === null)) return wrong;
    return { row, coder: coder.trim(), values: codes as CheckedRow["values"], coded_at: coded_at ?? null, time };
  }

  /** The rows of a CSV file by column, without rows of empty cells; undefined for an incomplete row. */
  function readCsv(text: string): (ReadonlyMap<string, string | null> | undefined)[] {
    const end = /[\r\n]|$/.exec(text)?.index;
    const counts = [",", ";", "\t"].map((each) => [each, text.slice(0, end).split(each).length] as const);
    const [[separator]] = counts.sort((a, b) => b[1] - a[1]) as [readonly [string, number]];
    const plain = new RegExp(`[^${separator}\r\n]*`, "y");
    const lines: string[][] = [[]];
    let isWhole = true;
    for (let at = text.startsWith("\ufeff") ? 1 : 0; at < text.length; at++) {
      let cell = "";
      for (; text[at] === '"'; cell += text[at] === '"' ? '"' : "") {
        const quote = text.indexOf('"', at + 1);
        isWhole = quote >= 0;
        cell += text.slice(at + 1, isWhole ? quote : undefined);
        at = isWhole ? quote + 1 : text.length;
      }
      plain.lastIndex = at;
      cell += plain.exec(text)?.[0] ?? "";
      at = Math.max(at, plain.lastIndex);
      (lines.at(-1) as string[]).push(cell);
      if (text[at] === "\r" && text[at + 1] === "\n") at++;
      if (text[at] === "\r" || text[at] === "\n") lines.push([]);
      else if (at === text.length - 1) (lines.at(-1) as string[]).push("");
    }
    const [header = [], ...rows] = lines;
    return rows.flatMap((cells, row) => {
      if (cells.every((cell) => cell === "")) return [];
      if (cells.length !== header.length || (!isWhole && row === rows.length - 1)) return [undefined];
      return [new Map(header.map((name, place) => [name, cells[place] || null]))];
    });
  }

  return { checkCode, checkRow, readCsv };
}
