/** The axis of counts up to `max`: ticks at whole numbers only. Vega's `tickMinStep` does not see to that in small charts. */
export function countAxis(max: number): { readonly tickCount: number; readonly format: string } {
  return { tickCount: Math.max(1, Math.min(max, 8)), format: ",d" };
}
