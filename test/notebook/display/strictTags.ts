const TAG = /<(\/?)([a-z]+)((?: [a-z-]+="[^"<>]*")*)>/y;

/**
 * The tags of strictly written HTML: every `<` starts a tag, every `>` ends one, and attributes are in double quotes.
 *
 * @throws Error at the first violation, or if elements are not properly nested
 */
export function strictTags(html: string): string[] {
  const tags: string[] = [];
  const open: string[] = [];
  let at = 0;
  while (at < html.length) {
    const next = html.indexOf("<", at);
    const text = html.slice(at, next < 0 ? html.length : next);
    if (text.includes(">")) throw new Error(`a > that ends no tag: ${text.slice(0, 80)}`);
    if (next < 0) break;
    TAG.lastIndex = next;
    const [whole, close, name = "", attributes = ""] = TAG.exec(html) ?? [];
    if (whole === undefined) throw new Error(`no tag: ${html.slice(next, next + 80)}`);
    if (close === "/") {
      if (open.pop() !== name) throw new Error(`</${name}> closes nothing`);
    } else {
      if (name !== "br") open.push(name);
      tags.push([name, ...[...attributes.matchAll(/ ([a-z-]+)="[^"]*"/g)].map(([, attribute]) => attribute)].join(" "));
    }
    at = next + whole.length;
  }
  if (open.length > 0) throw new Error(`not closed: ${open.join(" ")}`);
  return tags;
}
