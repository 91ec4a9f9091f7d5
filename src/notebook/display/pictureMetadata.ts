import type { MimeBundle } from "./mimeBundle.js";

/**
 * The type of the SVG of a chart that also has a PNG. Reports of this package read it. As `image/svg+xml`, nbconvert 6.5 would prefer it to
 * the PNG, and strip it to its text.
 */
export const CHART_SVG = "application/vnd.archive-frames.svg+xml";

/** The metadata of a bundle: the size of a chart, whose PNG has two pixels per unit. */
export function pictureMetadata(bundle: MimeBundle): Readonly<Record<string, unknown>> {
  const [tag = ""] = String(bundle[CHART_SVG] ?? "")
    .slice(0, 1000)
    .split(">", 1);
  const width = /^<svg /.test(tag) ? / width="(\d{1,6})/.exec(tag)?.[1] : undefined;
  const height = / height="(\d{1,6})/.exec(tag)?.[1];
  return width === undefined || height === undefined
    ? {}
    : { "image/png": { width: Number(width), height: Number(height) } };
}
