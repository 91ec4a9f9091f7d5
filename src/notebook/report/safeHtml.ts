import { ROOT_CLASS } from "../display/gridHtml.js";
import { textOf } from "../notebookFormat.js";

/** The attributes that this package generates, with the only values that they may have. */
const ATTRIBUTES = [
  `class="(?:${ROOT_CLASS}|af-[a-z]+(?: af-[a-z]+)*)"`,
  'src="data:image/svg\\+xml;base64,[A-Za-z0-9+/]+=*"',
  '(?:title|alt)="[^"<>]*"',
  'href="[Hh][Tt][Tt][Pp][Ss]?:[^"<>]*"',
  'target="_blank"',
  'rel="noopener noreferrer"',
  'tabindex="0"',
];
const TAG = new RegExp(
  `<(/?)(a|b|br|div|i|img|small|strong|table|tbody|td|th|thead|tr)((?: (?:${ATTRIBUTES.join("|")}))*)>`,
  "g",
);
const VOID = new Set(["br", "img"]);

/**
 * Whether HTML consists of elements and attributes of this package only, properly nested and closed. It repairs nothing, so a browser
 * cannot parse accepted HTML differently.
 */
function isOurs(html: string): boolean {
  const open: string[] = [];
  let isNested = true;
  const rest = html.replace(TAG, (_tag, close: string, name: string, attributes: string) => {
    if (close !== "") isNested &&= attributes === "" && open.pop() === name;
    else if (!VOID.has(name)) open.push(name);
    return "";
  });
  return isNested && open.length === 0 && !/[<>]/.test(rest);
}

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
  return isOurs(bare) ? bare : undefined;
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
