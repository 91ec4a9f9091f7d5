/** What a member of a row holds: the kinds of JSON value that become columns without a detour ("null": only ever null so far). */
export type MemberKind = "string" | "int" | "float" | "bool" | "datetime" | "null";

/** The members that rows are expected to have, in their expected order: what {@link scanPage} checks rows against. */
export interface RowShape {
  /** Member names, in the order of the columns. */
  readonly names: readonly string[];
  readonly kinds: readonly MemberKind[];
  /** The names as they stand on the wire, for comparing bytes. */
  readonly keys: readonly Uint8Array[];
  readonly index: ReadonlyMap<string, number>;
}

/** The shape of rows with these members. */
export function rowShape(members: Iterable<readonly [string, MemberKind]>): RowShape {
  const entries = [...members];
  const names = entries.map(([name]) => name);
  return {
    names,
    kinds: entries.map(([, kind]) => kind),
    keys: names.map((name) => Buffer.from(JSON.stringify(name).slice(1, -1))),
    index: new Map(names.map((name, at) => [name, at])),
  };
}

const shapes = new WeakMap<object, RowShape>();

/** The shape of declared columns: one for each table of them, so that what is learnt of its rows is kept. */
export function declaredShape(columns: Readonly<Record<string, MemberKind>>): RowShape {
  const shape = shapes.get(columns) ?? rowShape(Object.entries(columns));
  shapes.set(columns, shape);
  return shape;
}
