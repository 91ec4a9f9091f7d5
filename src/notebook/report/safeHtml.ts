import { ROOT_CLASS } from "../display/frameCss.js";
import { textOf } from "../notebookFormat.js";

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

const CLASS = new RegExp(`^(?:${ROOT_CLASS}|af-[a-z]+(?: af-[a-z]+)*)$`);
const ANY = /^/;
const cell = { class: CLASS, title: ANY };

/** The elements of our displays. */
const OWN: AllowedElements = {
  div: { class: CLASS },
  span: { class: CLASS },
  table: {},
  tbody: {},
  td: cell,
  th: cell,
  thead: {},
  tr: {},
};

const START = `<div class="${ROOT_CLASS}">`;

/**
 * The HTML of one of our displays, without its style sheet, which a report has once. Undefined for any other HTML: a notebook
 * may come from anywhere.
 */
export function ownDisplayHtml(html: string): string | undefined {
  if (!html.startsWith(START)) return undefined;
  const bare = html.replace(/<style>[^<]*<\/style>/, "");
  return isAllowedHtml(bare, OWN) ? bare : undefined;
}

const BINARY = ["image/png", "image/jpeg", "image/gif"];

/**
 * The picture of a bundle as a data URI, the sharpest form first; undefined where there is none. An SVG is put into an `img`,
 * where its scripts do not run and nothing is loaded.
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
