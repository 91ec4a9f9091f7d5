/**
 * Replaces `null` by `undefined`, so that both count as left out. The names stay, so that an unknown one is still rejected. The given
 * object is not changed.
 */
export function withoutNulls<T extends object>(options: T): T {
  if (!Object.values(options).includes(null)) return options;
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, value ?? undefined])) as T;
}
