/** Compares numbers, or texts by code unit: unlike locale order, the same on every machine. */
export function byCodeUnit<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
