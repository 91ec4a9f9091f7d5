/** What vega loads with: nothing. Links lead to the web or to a mailbox, and nowhere else. */
export const safeLoader = {
  load: (): Promise<never> => refuse(),
  http: (): Promise<never> => refuse(),
  file: (): Promise<never> => refuse(),
  /** Without `href` the link is none; a rejection would fail vega outside of any promise that could be awaited. */
  sanitize: (uri: unknown, { context }: { context?: string } = {}): Promise<{ href?: string }> =>
    Promise.resolve(context === "href" && typeof uri === "string" && isLink(uri) ? { href: uri } : {}),
};

function isLink(uri: string): boolean {
  try {
    return ["http:", "https:", "mailto:"].includes(new URL(uri).protocol);
  } catch {
    return false;
  }
}

function refuse(): Promise<never> {
  return Promise.reject(new Error("a chart loads nothing"));
}
