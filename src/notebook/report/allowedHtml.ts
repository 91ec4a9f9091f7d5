/** The elements that are allowed, each with its attributes and what their values must look like. */
export type AllowedElements = Readonly<Record<string, Readonly<Record<string, RegExp>>>>;

// Our own HTML and that of the Markdown library have these forms only; whatever has others is not theirs.
const TOKEN = /<(?<close>\/)?(?<name>[a-z][a-z0-9]*)(?<attributes>(?: [a-z-]+="[^"<>]*")*)>|[^<>]+/y;
const ATTRIBUTE = / ([a-z-]+)="([^"]*)"/g;
const VOID = new Set(["br", "hr", "img"]);

/**
 * Whether HTML has nothing but allowed elements and attributes, written in full and closed in order. It is strict and mends
 * nothing, so there is nothing that a browser could read in another way.
 */
export function isAllowedHtml(html: string, allowed: AllowedElements): boolean {
  const open: string[] = [];
  for (let at = 0; at < html.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(html);
    if (token === null) return false;
    const { close, name, attributes = "" } = token.groups ?? {};
    if (name === undefined) continue;
    if (close !== undefined) {
      if (attributes !== "" || open.pop() !== name) return false;
    } else {
      if (!hasAllowed(allowed, name, attributes)) return false;
      if (!VOID.has(name)) open.push(name);
    }
  }
  return open.length === 0;
}

function hasAllowed(allowed: AllowedElements, name: string, attributes: string): boolean {
  if (!Object.hasOwn(allowed, name)) return false;
  const values = allowed[name] as Readonly<Record<string, RegExp>>;
  return [...attributes.matchAll(ATTRIBUTE)].every(
    ([, attribute = "", value = ""]) => Object.hasOwn(values, attribute) && values[attribute]?.test(value),
  );
}
