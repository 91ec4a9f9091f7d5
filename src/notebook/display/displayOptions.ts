import { boolean, checkedOptions, nameList, nonNegativeInteger, positiveInteger } from "../../errors/validators.js";

/** How a frame is shown. */
export interface DisplayOptions {
  /**
   * Maximum number of rows, taken from the beginning and the end. Default: all rows of a frame of up to 20, otherwise 10 rows.
   */
  rows?: number | undefined;
  /** The columns to show, in this order; or their maximum number, taken from the beginning and the end. Default 20. */
  columns?: number | readonly string[] | undefined;
  /** Maximum number of characters per cell; hover shows the whole text. Default 50, with `wrap` 2,000. */
  width?: number | undefined;
  /** Wrap long texts, to read them. Default false. */
  wrap?: boolean | undefined;
  /** Make http and https addresses clickable. Default true. */
  links?: boolean | undefined;
  /**
   * Sort, search and page through the first 1,000 rows, where the notebook is trusted; elsewhere the table stays as it is. `rows` is the
   * length of a page, by default 20. At most 150 kB: texts that do not fit are shortened. Default false.
   */
  interactive?: boolean | undefined;
}

/** The display options in effect; without `rows`, their number is chosen automatically. */
export type DisplaySettings = { readonly rows: number | undefined } & {
  readonly [Name in Exclude<keyof DisplayOptions, "rows">]-?: Exclude<DisplayOptions[Name], undefined>;
};

const BUILT_IN: DisplaySettings = Object.freeze({
  rows: undefined,
  columns: 20,
  width: 50,
  wrap: false,
  links: true,
  interactive: false,
});

/** The default `width` if texts wrap. */
const WRAPPED_WIDTH = 2000;

// Under a global symbol, because a kernel and its notebook may load different copies of this package.
const DEFAULTS: symbol = Symbol.for("archive-frames.display");
const globals = globalThis as { [name: symbol]: DisplaySettings | undefined };

/**
 * Sets the default display options of this notebook. An option set to `undefined` returns to its built-in default.
 *
 * @param options the options to change; others stay as they are
 * @returns the defaults now in effect
 * @throws ValidationError for an unknown option or an invalid value
 * @example
 * displayDefaults({ rows: 30, width: 80 }).rows; //=> 30
 * displayDefaults({ rows: undefined }).width;    //=> 80
 */
export function displayDefaults(options: DisplayOptions = {}): Readonly<DisplayOptions> {
  const given = checked(options);
  const unchanged = Object.entries(globals[DEFAULTS] ?? {}).filter(([name]) => !(name in given));
  globals[DEFAULTS] = Object.freeze({ ...BUILT_IN, ...Object.fromEntries(unchanged), ...defined(given) });
  return globals[DEFAULTS];
}

/** The options with all defaults applied. */
export function displaySettings(options: DisplayOptions = {}): DisplaySettings {
  const chosen = { ...globals[DEFAULTS], ...defined(checked(options)) };
  const wrapped = chosen.wrap && options.width === undefined ? { width: WRAPPED_WIDTH } : {};
  return { ...BUILT_IN, ...chosen, ...wrapped };
}

function checked(given: DisplayOptions): DisplayOptions {
  const options = checkedOptions(given, Object.keys(BUILT_IN), "option of display");
  const { rows, columns, width } = options;
  if (rows !== undefined) nonNegativeInteger("rows", rows, 20);
  if (Array.isArray(columns)) nameList("columns", columns, "person", "text");
  else if (columns !== undefined) positiveInteger("columns", columns, 20);
  if (width !== undefined) positiveInteger("width", width, 80);
  for (const name of ["wrap", "links", "interactive"] as const)
    if (options[name] !== undefined) boolean(name, options[name]);
  return options;
}

function defined(options: DisplayOptions): Partial<DisplaySettings> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
