/** Number of names remembered. */
const MAX_NAMES = 1000;

const DECLARATION = /\b(?:const|let|var|function|class)\s+([\w$]+)/g;

const IMPORTED = /\bimport\s*\{([^{}]{0,2000})\}/g;

/** The names that cells declare which TypeScript rejected: nothing of such a cell runs, not even its imports. */
export class RejectedCells {
  readonly #cells = new Map<string, number>();

  add(cell: number, code: string): void {
    const names = [...code.matchAll(DECLARATION)].map(([, name = ""]) => name);
    for (const [, list = ""] of code.matchAll(IMPORTED)) names.push(...list.split(",").map((each) => each.trim()));
    for (const name of names) {
      if (this.#cells.size < MAX_NAMES || this.#cells.has(name)) this.#cells.set(name, cell);
    }
  }

  /** The last rejected cell that declares a name. */
  cellOf(name: string): number | undefined {
    return this.#cells.get(name);
  }
}
