import { inspect } from "node:util";
import { JUPYTER_DISPLAY, type MimeBundle } from "../display/mimeBundle.js";
import type { ChartSpec } from "./chartSpec.js";

/** A chart: every viewer shows its SVG, and JupyterLab makes its specification interactive. */
export class Chart {
  constructor(
    /** The picture, complete in itself. */
    readonly svg: string,
    /** The Vega-Lite specification with its data. */
    readonly spec: ChartSpec,
    /** What it shows, in one line. */
    readonly description: string,
  ) {}

  /** @internal */
  [JUPYTER_DISPLAY](): MimeBundle {
    return {
      "text/plain": this.toString(),
      "image/svg+xml": this.svg,
      "application/vnd.vegalite.v5+json": this.spec,
    };
  }

  toString(): string {
    return `Chart: ${this.description}`;
  }

  [inspect.custom](): string {
    return this.toString();
  }
}
