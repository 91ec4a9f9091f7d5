import { runInThisContext } from "node:vm";
import type { Conversion } from "../converter/converter.js";
import { cellFile } from "./cellPositions.js";

/** The variables that cells have declared: the `exports` object that all cells share. */
export type Variables = Record<string, unknown>;

/** Runs converted cells as one program. */
export class Evaluator {
  readonly variables: Variables = createVariables();
  /** Restores the variables that the latest cell declares but has not assigned. */
  #restore: () => void = () => undefined;

  /** @param require that of cells */
  constructor(private readonly require: NodeJS.Require) {}

  /**
   * @param run its number, for stack traces
   * @returns the value of the last expression if there is one, when the cell ends; in an object, because a promise is not awaited
   */
  async run(
    run: number,
    { output = "", lastExpression }: Conversion,
  ): Promise<{ readonly value: unknown } | undefined> {
    this.#restore = saveVariables(this.variables, output);
    // Every cell is an async function, so that `await` works anywhere. Its first line is line 1.
    const code = `(async function (exports, require) {\n${output}\n})`;
    await runInThisContext(code, { filename: cellFile(run), lineOffset: -1 })(this.variables, this.require);
    if (lastExpression === undefined) return undefined;
    const value = this.variables[lastExpression];
    delete this.variables[lastExpression];
    return { value };
  }

  /** After a failure: variables that the cell has not assigned get the values of earlier cells again. */
  restoreUnassigned(): void {
    this.#restore();
    this.#restore = () => undefined;
  }
}

/**
 * Creates the shared `exports`. TypeScript exports an imported name as a getter, which a later cell could neither assign nor
 * redeclare, so its value is stored instead.
 */
function createVariables(): Variables {
  return new Proxy<Variables>(
    {},
    {
      defineProperty(target, name, { get, value }) {
        if (typeof name === "string" && name !== "__esModule") target[name] = get === undefined ? value : get();
        return true;
      },
    },
  );
}

/** Saves the variables that a cell declares, because its JavaScript first sets them to undefined; returns a function that restores them. */
function saveVariables(variables: Variables, output: string): () => void {
  const resets = output.match(/^(?:exports\.[\w$\u0080-\uffff]+ = )+void 0;$/gm) ?? [];
  const names = resets.flatMap((line) => [...line.matchAll(/exports\.([^ ]+)/g)].map(([, name = ""]) => name));
  const before = names.map((name) => ({ name, existed: name in variables, value: variables[name] }));
  return () => {
    for (const { name, existed, value } of before) {
      if (variables[name] !== undefined) continue;
      if (existed) variables[name] = value;
      else delete variables[name];
    }
  };
}
