/** Today in UTC, yyyy-mm-dd. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/**
 * A day some days later.
 *
 * @example
 * addDays("2024-02-28", 2); //=> "2024-03-01"
 */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}

export function daysBetween(first: string, last: string): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000);
}

/** Whether a value is a day as text. */
export function isDay(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
}
