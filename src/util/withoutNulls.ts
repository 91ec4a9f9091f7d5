/** A copy with `undefined` instead of `null`, so that both count as absent. Keeps the names, so that unknown ones are still rejected. */
export function withoutNulls<T extends object>(options: T): T {
  if (!Object.values(options).includes(null)) return options;
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, value ?? undefined])) as T;
}
