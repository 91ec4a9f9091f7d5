/** A Vega-Lite specification without its data: mark, encoding, transforms, title and so on. The frame is its data. */
export interface ChartSpec {
  readonly [member: string]: unknown;
}
