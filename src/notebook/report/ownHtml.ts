import { ROOT_CLASS } from "../display/frameCss.js";
import { type AllowedElements, isAllowedHtml } from "./allowedHtml.js";

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
export function ownHtml(html: string): string | undefined {
  if (!html.startsWith(START)) return undefined;
  const bare = html.replace(/<style>[^<]*<\/style>/, "");
  return isAllowedHtml(bare, OWN) ? bare : undefined;
}
