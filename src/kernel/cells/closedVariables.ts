const USING = /^(?:await[ \t]+)?using[ \t]+([\p{ID_Start}$_][\p{ID_Continue}$]*)/gmu;
const DECLARED = /\b(?:const|let|var)\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu;
const NAME = /(?<![\p{ID_Continue}$.])[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;

/** Variables that a cell declared with `using` and closed when it ended. */
export class ClosedVariables {
  /** The cells, by execution count. */
  readonly #cells = new Map<string, number>();

  add(cell: number, code: string): void {
    for (const [, name = ""] of code.matchAll(DECLARED)) this.#cells.delete(name);
    for (const [, name = ""] of code.matchAll(USING)) this.#cells.set(name, cell);
  }

  /** Why a cell may have failed: it uses what an earlier one has closed. */
  notes(code: string): string[] {
    const names = new Set([...code.matchAll(NAME)].map(([name]) => name));
    const used = [...this.#cells].filter(([name]) => names.has(name));
    return used.map(
      ([name, cell]) =>
        `Cell ${cell} closed ${name} when it ended, because it says using. Declare it with const to use it in later cells.`,
    );
  }
}
