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
 * Saves the values of the variables that a cell declares, which the generated JavaScript first sets to undefined. If the cell
 * fails, those that it has not assigned must keep the values of earlier cells.
 *
 * @returns restores these values and returns the names of all unassigned variables
 */
export function saveVariables(variables: Variables, output: string): () => string[] {
  const resets = /^(?:exports\.[\w$\u0080-\uffff]+ = )+void 0;$/gm;
  const names = [...output.matchAll(resets)].flatMap(([line]) => [...line.matchAll(/exports\.([^ ]+)/g)]);
  const before = names.map(([, name = ""]) => ({ name, existed: name in variables, value: variables[name] }));
  return () => {
    const unassigned = before.filter(({ name }) => variables[name] === undefined);
    for (const { name, existed, value } of unassigned) {
      if (existed) variables[name] = value;
      else delete variables[name];
    }
    return unassigned.map(({ name }) => name);
  };
}
