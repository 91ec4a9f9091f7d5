import { ROOT_CLASS } from "./frameCss.js";
import { pluralize } from "./grid.js";
import type { MimeBundle } from "./mimeBundle.js";

/** Tables of a list. More would make a notebook slow. */
const MAX_FRAMES = 10;

/**
 * A list of frames as one table below the other, as `Promise.all` returns them. Undefined if the list is empty or contains anything else.
 *
 * @param bundleOf the bundle of a frame; undefined for any other value
 */
export function frameList(
  values: readonly unknown[],
  bundleOf: (value: unknown) => MimeBundle | undefined,
): MimeBundle | undefined {
  const bundles: MimeBundle[] = [];
  for (const value of values.slice(0, MAX_FRAMES)) {
    const bundle = bundleOf(value);
    if (bundle === undefined) return undefined;
    bundles.push(bundle);
  }
  if (bundles.length === 0) return undefined;
  const omitted = values.length - bundles.length;
  const more = omitted === 0 ? "" : `… and ${pluralize(omitted, "more frame", "more frames")}`;
  const texts = bundles.map((bundle) => String(bundle["text/plain"]));
  // One style sheet is enough.
  const tables = bundles
    .map((bundle) => String(bundle["text/html"]))
    .map((html, at) => (at === 0 ? html : html.replace(/<style>[^<]*<\/style>/, "")))
    .join("");
  return {
    "text/plain": [...texts, more].filter((text) => text !== "").join("\n\n"),
    "text/html": `<div class="${ROOT_CLASS}">${tables}${more === "" ? "" : `<div class="af-note">${more}</div>`}</div>`,
  };
}
