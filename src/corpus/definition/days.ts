/** Today in UTC, yyyy-mm-dd. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** Whether a value is a day as text. */
export function isDay(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
}
