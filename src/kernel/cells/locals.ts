/** What the cells so far have declared, as the `exports` of all of them. */
export type Locals = Record<string, unknown>;

/**
 * The object that cells export to. TypeScript exports an imported name as a getter, which a later cell could not assign to
 * nor declare anew, so a value is kept instead.
 */
export function createLocals(): Locals {
  return new Proxy<Locals>(
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
 * Remembers the values of the names that a cell declares, which JavaScript empties before it runs, and puts them back when the
 * cell fails: a failing cell declares nothing, so the names still stand for what an earlier cell has given them.
 */
export function rememberLocals(locals: Locals, output: string): () => void {
  const emptied = /^(?:exports\.[\w$\u0080-\uffff]+ = )+void 0;$/gm;
  const names = [...output.matchAll(emptied)].flatMap(([line]) => [...line.matchAll(/exports\.([^ ]+)/g)]);
  const before = names.flatMap(([, name = ""]) => (name in locals ? [[name, locals[name]] as const] : []));
  return () => {
    for (const [name, value] of before) locals[name] = value;
  };
}
