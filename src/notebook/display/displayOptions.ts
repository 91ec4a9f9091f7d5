import { boolean, checkedOptions, nameList, nonNegativeInteger, positiveInteger } from "../../errors/validators.js";

/** How a frame is shown. */
export interface DisplayOptions {
  /** Rows at most, from the beginning and the end. Default: 10, but all of up to 20. */
  rows?: number | undefined;
  /** The columns, in this order; or their maximum number. Default: 20. */
  columns?: number | readonly string[] | undefined;
  /** Characters per cell; hover shows the whole text. Default: 50, with `wrap` 2,000. */
  width?: number | undefined;
  /** Wrap long texts. Default false. */
  wrap?: boolean | undefined;
  /** Make web addresses clickable. Default true. */
  links?: boolean | undefined;
  /**
   * Sort, search and page through the first 1,000 rows, in a trusted notebook. `rows` is the length of a page, by default 20. Long texts
   * are shortened beyond 200 kB. Default false.
   */
  interactive?: boolean | undefined;
}

/** The display options in effect; without `rows`, their number is chosen automatically. */
export type DisplaySettings = Pick<DisplayOptions, "rows"> & {
  readonly [Name in Exclude<keyof DisplayOptions, "rows">]-?: Exclude<DisplayOptions[Name], undefined>;
};

const DEFAULTS = { rows: undefined, columns: 20, width: 50, wrap: false, links: true, interactive: false };

/** The default `width` if texts wrap. */
const WRAPPED_WIDTH = 2000;

/**
 * The options with all defaults applied.
 *
 * @throws ValidationError for an unknown option or an invalid value
 */
export function displaySettings(options: DisplayOptions = {}): DisplaySettings {
  const checked = checkedOptions(options, Object.keys(DEFAULTS), "option of display");
  const { rows, columns, width } = checked;
  if (rows !== undefined) nonNegativeInteger("rows", rows, 20);
  if (Array.isArray(columns)) nameList("columns", columns, "person", "text");
  else if (columns !== undefined) positiveInteger("columns", columns, 20);
  if (width !== undefined) positiveInteger("width", width, 80);
  for (const name of ["wrap", "links", "interactive"] as const)
    if (checked[name] !== undefined) boolean(name, checked[name]);
  const chosen = Object.fromEntries(Object.entries(checked).filter(([, value]) => value !== undefined));
  return { ...DEFAULTS, ...(checked.wrap && { width: WRAPPED_WIDTH }), ...chosen };
}
