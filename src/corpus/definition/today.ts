/** Today in UTC, yyyy-mm-dd. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
