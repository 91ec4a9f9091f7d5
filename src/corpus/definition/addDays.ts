/**
 * A day some days later.
 *
 * @example
 * addDays("2024-02-28", 2); //=> "2024-03-01"
 */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}
