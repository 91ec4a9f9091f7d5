const USING = /^(?:await[ \t]+)?using[ \t]+([\p{ID_Start}$_][\p{ID_Continue}$]*)/gmu;

/** Variables that a cell declared with `using` and closed when it ended. */
export class ClosedVariables {
  /** The cells, by execution count. */
  readonly #cells = new Map<string, number>();

  /** A cell has ended. */
  add(cell: number, code: string): void {
    const closed = [...code.matchAll(USING)].map(([, name = ""]) => name);
    for (const name of this.#cells.keys())
      if (occurs(`(?:const|let|var)\\s+${literal(name)}`, code)) this.#cells.delete(name);
    for (const name of closed) this.#cells.set(name, cell);
  }

  /** Why a later cell may have failed: it uses what another one has closed. */
  notes(code: string): string[] {
    const used = [...this.#cells].filter(([name]) => occurs(literal(name), code));
    return used.map(
      ([name, cell]) =>
        `Cell ${cell} closed ${name} when it ended, because it says using. Declare it with const to use it in later cells.`,
    );
  }
}

function occurs(pattern: string, code: string): boolean {
  return new RegExp(`(?<![\\w$.])${pattern}(?![\\w$])`, "u").test(code);
}

function literal(name: string): string {
  return name.replaceAll("$", "\\$");
}
