import { ROOT_CLASS } from "../display/frameCss.js";
import { textOf } from "../notebookFormat.js";

/** Allowed elements, each with patterns of its attribute values. */
export type AllowedElements = Readonly<Record<string, Readonly<Record<string, RegExp>>>>;

/** Elements that may have no attributes. */
export function plainElements(names: string): AllowedElements {
  return Object.fromEntries(names.split(" ").map((name) => [name, {}]));
}

// The only forms that this package and the Markdown library generate.
const TOKEN = /<(?<close>\/)?(?<name>[a-z][a-z0-9]*)(?<attributes>(?: [a-z-]+="[^"<>]*")*)>|[^<>]+/y;
const ATTRIBUTE = / ([a-z-]+)="([^"]*)"/g;
const VOID = new Set(["br", "hr", "img"]);

/**
 * Whether HTML consists of allowed elements and attributes only, properly nested and closed. It repairs nothing, so a browser
 * cannot parse accepted HTML differently.
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

const CLASS = new RegExp(`^(?:${ROOT_CLASS}|af-[a-z]+(?: af-[a-z]+)*)$`);
const ANY = /^/;
const cell = { class: CLASS, title: ANY };

const OWN: AllowedElements = {
  ...plainElements("b br strong table tbody thead tr"),
  a: { href: /^https?:/i, target: /^_blank$/, rel: /^noopener noreferrer$/ },
  div: { class: CLASS, tabindex: /^0$/ },
  i: { class: CLASS },
  img: { src: /^data:image\/svg\+xml;base64,[A-Za-z0-9+/]+=*$/, alt: ANY },
  small: { class: CLASS, title: ANY },
  td: cell,
  th: cell,
};

const START = `<div class="${ROOT_CLASS}">`;

/** The data and the script of an interactive table. */
const SCRIPTS = /<script type="text\/plain">[\w+/=]*<\/script><script>[^<]*<\/script>/g;

/**
 * The HTML of a display of this package, without its style sheet and scripts, which a report does not need. Undefined for any other
 * HTML, because a notebook may come from anyone.
 */
export function ownDisplayHtml(html: string): string | undefined {
  if (!html.startsWith(START)) return undefined;
  const bare = html.replace(/<style>[^<]*<\/style>/, "").replace(SCRIPTS, "");
  return isAllowedHtml(bare, OWN) ? bare : undefined;
}

const BINARY = ["image/png", "image/jpeg", "image/gif"];

/**
 * The picture of a bundle as a data URI, preferably SVG; undefined if there is none. Inside an `img` element, SVG runs no scripts
 * and loads nothing.
 */
export function imageUri(bundle: Readonly<Record<string, unknown>>): string | undefined {
  const svg = textOf(bundle["image/svg+xml"]);
  if (svg !== undefined) return `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
  for (const type of BINARY) {
    const data = textOf(bundle[type])?.replace(/\s/g, "");
    if (data !== undefined && /^[A-Za-z0-9+/]+=*$/.test(data)) return `data:${type};base64,${data}`;
  }
  return undefined;
}
