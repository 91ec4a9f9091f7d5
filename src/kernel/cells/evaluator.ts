import { runInThisContext } from "node:vm";
import type { Conversion } from "../converter/converter.js";
import { cellFile } from "./cellPositions.js";

/** The variables that cells have declared: the `exports` object that all cells share. */
export type Variables = Record<string, unknown>;

/** Runs converted cells as one program. */
export class Evaluator {
  readonly variables: Variables = createVariables();

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
    // Every cell is an async function, so that `await` works anywhere. Its first line is line 1.
    const code = `(async function (exports, require) {\n${output}\n})`;
    await runInThisContext(code, { filename: cellFile(run), lineOffset: -1 })(this.variables, this.require);
    if (lastExpression === undefined) return undefined;
    const value = this.variables[lastExpression];
    delete this.variables[lastExpression];
    return { value };
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
