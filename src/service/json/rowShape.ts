/** The type of a member: the JSON values that become columns directly. "null" if every value so far was null. */
export type MemberType = "string" | "int" | "float" | "bool" | "datetime" | "null";

/** The members that rows are expected to have, in their expected order. {@link scanPage} checks rows against it. */
export interface RowShape {
  /** Member names, in the order of the columns. */
  readonly names: readonly string[];
  readonly types: readonly MemberType[];
  /** The names as spelled on the wire, for comparing bytes. */
  readonly keys: readonly Uint8Array[];
  /** The index of each name, by its key decoded as latin1. */
  readonly index: ReadonlyMap<string, number>;
}

/** The shape of rows with these members. */
export function rowShape(members: Iterable<readonly [string, MemberType]>): RowShape {
  const entries = [...members];
  const names = entries.map(([name]) => name);
  const keys = names.map((name) => Buffer.from(JSON.stringify(name).slice(1, -1)));
  return {
    names,
    types: entries.map(([, type]) => type),
    keys,
    index: new Map(keys.map((key, at) => [key.toString("latin1"), at])),
  };
}

const shapes = new WeakMap<object, RowShape>();

/** The shape of declared columns: always the same object per table, so that learnt layouts are reused. */
export function declaredShape(columns: Readonly<Record<string, MemberType>>): RowShape {
  const shape = shapes.get(columns) ?? rowShape(Object.entries(columns));
  shapes.set(columns, shape);
  return shape;
}
