/** The most frequent of some texts, the alphabetically first of equals; undefined if there are none. */
export function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  let best: string | undefined;
  for (const [text, count] of counts) {
    const most = best === undefined ? 0 : (counts.get(best) as number);
    if (count > most || (count === most && best !== undefined && text < best)) best = text;
  }
  return best;
}
