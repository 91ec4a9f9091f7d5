/** What a member of a row holds: the kinds of JSON value that become columns without a detour ("null": only ever null so far). */
export type MemberType = "string" | "int" | "float" | "bool" | "datetime" | "null";

/** The members that rows are expected to have, in their expected order: what {@link scanPage} checks rows against. */
export interface RowShape {
  /** Member names, in the order of the columns. */
  readonly names: readonly string[];
  readonly types: readonly MemberType[];
  /** The names as they stand on the wire, for comparing bytes. */
  readonly keys: readonly Uint8Array[];
  /** The place of each name, by the bytes of its key as latin1. */
  readonly index: ReadonlyMap<string, number>;
}

/** The shape of rows with these members. */
export function rowShape(members: Iterable<readonly [string, MemberType]>): RowShape {
  const entries = [...members];
  const names = entries.map(([name]) => name);
  const keys = names.map((name) => Buffer.from(JSON.stringify(name).slice(1, -1)));
  return {
    names,
    types: entries.map(([, kind]) => kind),
    keys,
    index: new Map(keys.map((key, at) => [key.toString("latin1"), at])),
  };
}

const shapes = new WeakMap<object, RowShape>();

/** The shape of declared columns: one for each table of them, so that what is learnt of its rows is kept. */
export function declaredShape(columns: Readonly<Record<string, MemberType>>): RowShape {
  const shape = shapes.get(columns) ?? rowShape(Object.entries(columns));
  shapes.set(columns, shape);
  return shape;
}
