/** A danfo frame or series, by what it looks like: the library itself may not be there, or be another copy. */
export interface DanfoValue {
  readonly $isSeries: boolean;
}

/** Whether a value is a danfo frame or a danfo series. */
export function isDanfo(value: unknown): value is DanfoValue {
  if (typeof value !== "object" || value === null) return false;
  const { $isSeries, $columns } = value as { $isSeries?: unknown; $columns?: unknown };
  return typeof $isSeries === "boolean" && Array.isArray($columns);
}

/** A member of danfo's own, which a column of the same name hides. */
export function danfoMember(value: DanfoValue, name: "columns" | "dtypes" | "values" | "index"): unknown {
  return Reflect.get(Object.getPrototypeOf(value) as object, name, value);
}
