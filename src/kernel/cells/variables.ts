/** The variables that cells have declared: the `exports` object that all cells share. */
export type Variables = Record<string, unknown>;

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

/**
 * Saves the values of the variables that a cell declares, which the generated JavaScript first sets to undefined. A failed cell
 * declares nothing, so its variables must keep the values of earlier cells.
 *
 * @returns restores the saved values
 */
export function saveVariables(variables: Variables, output: string): () => void {
  const resets = /^(?:exports\.[\w$\u0080-\uffff]+ = )+void 0;$/gm;
  const names = [...output.matchAll(resets)].flatMap(([line]) => [...line.matchAll(/exports\.([^ ]+)/g)]);
  const before = names.flatMap(([, name = ""]) => (name in variables ? [[name, variables[name]] as const] : []));
  return () => {
    for (const [name, value] of before) variables[name] = value;
  };
}
