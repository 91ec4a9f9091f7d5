import { invalid } from "../../errors/validators.js";
import type { MimeBundle } from "./mimeBundle.js";

/** An SVG element of any DOM library. */
export interface SvgElement {
  /** The element and its content as markup. */
  readonly outerHTML: string;
}

/** Whether a value is an SVG element. */
export function isSvgElement(value: unknown): value is SvgElement {
  if (typeof value !== "object" || value === null) return false;
  const { outerHTML } = value as { readonly outerHTML?: unknown };
  return typeof outerHTML === "string" && outerHTML.startsWith("<svg");
}

/** The bundle of a picture. */
export function svgBundle(svg: string): MimeBundle {
  if (typeof svg !== "string" || !svg.trimStart().startsWith("<svg")) {
    throw invalid("svg", svg, "Give an SVG element, or its text: <svg …>…</svg>.");
  }
  const text = svg.trim();
  // An element of a page needs no namespace, a picture does.
  const isNamed = /^<svg[^>]*\sxmlns=/.test(text);
  const picture = isNamed ? text : text.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"');
  return { "text/plain": `SVG picture, ${picture.length} characters`, "image/svg+xml": picture };
}
