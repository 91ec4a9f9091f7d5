/** The type of a member: the JSON values that become columns directly. "null" if every value so far was null. */
export type MemberType = "string" | "int" | "float" | "bool" | "datetime" | "null";

/** What a cell of a row may hold. "long" is a whole number of 64 bits, which only our own rows have. */
export type CellType = MemberType | "long";

/** The members that rows are expected to have, in their expected order. {@link scanPage} checks rows against it. */
export interface RowShape<T extends CellType = MemberType> {
  /** Member names, in the order of the columns. */
  readonly names: readonly string[];
  readonly types: readonly T[];
}

/** The shape of rows with these members. */
export function rowShape<T extends CellType>(members: Iterable<readonly [string, T]>): RowShape<T> {
  const entries = [...members];
  return { names: entries.map(([name]) => name), types: entries.map(([, type]) => type) };
}

const shapes = new WeakMap<object, RowShape>();

/** The shape of declared columns: always the same object per table, so that the scanner prepares for it once. */
export function declaredShape(columns: Readonly<Record<string, MemberType>>): RowShape {
  const shape = shapes.get(columns) ?? rowShape(Object.entries(columns));
  shapes.set(columns, shape);
  return shape;
}
