import { runInThisContext } from "node:vm";
import type { Conversion } from "../converter/converter.js";
import { cellFile } from "./cellPositions.js";

/** The variables that cells have declared: the `exports` object that all cells share. */
export type Variables = Record<string, unknown>;

/**
 * Runs a converted cell.
 *
 * @param run its number, for stack traces
 * @returns the value of the last expression if there is one, when the cell ends; in an object, because a promise is not awaited
 */
export async function evaluate(
  { output = "", lastExpression }: Conversion,
  run: number,
  variables: Variables,
  require: NodeJS.Require,
): Promise<{ readonly value: unknown } | undefined> {
  // Every cell is an async function, so that `await` works anywhere. Its first line is line 1.
  const code = `(async function (exports, require) {\n${output}\n})`;
  await runInThisContext(code, { filename: cellFile(run), lineOffset: -1 })(variables, require);
  if (lastExpression === undefined) return undefined;
  const value = variables[lastExpression];
  delete variables[lastExpression];
  return { value };
}

/**
 * Creates the shared `exports`. TypeScript exports an imported name as a getter, which a later cell could neither assign nor
 * redeclare, so its value is stored instead.
 */
export function createVariables(): Variables {
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
