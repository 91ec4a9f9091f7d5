import { checkedOptions, nonNegativeInteger, positiveInteger } from "../../errors/validators.js";

/** How much of a frame to show. */
export interface DisplayOptions {
  /**
   * Maximum number of rows, taken from the beginning and the end. Default: all rows of a frame of up to 20, otherwise 10 rows.
   */
  rows?: number | undefined;
  /** Maximum number of columns, taken from the beginning and the end. Default 20. */
  columns?: number | undefined;
  /** Maximum number of characters per cell; hover shows the whole text. Default 50. */
  width?: number | undefined;
}

/** The display options in effect. */
export interface DisplaySettings {
  /** Maximum number of rows; undefined for the automatic choice. */
  readonly rows: number | undefined;
  /** Maximum number of columns. */
  readonly columns: number;
  /** Maximum number of characters per cell. */
  readonly width: number;
}

const BUILT_IN: DisplaySettings = Object.freeze({ rows: undefined, columns: 20, width: 50 });

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
 * displayDefaults({ rows: 30, width: 80 }); //=> { rows: 30, columns: 20, width: 80 }
 * displayDefaults({ rows: undefined });     //=> { rows: undefined, columns: 20, width: 80 }
 */
export function displayDefaults(options: DisplayOptions = {}): DisplaySettings {
  const given = checked(options);
  const unchanged = Object.entries(globals[DEFAULTS] ?? {}).filter(([name]) => !(name in given));
  globals[DEFAULTS] = Object.freeze({ ...BUILT_IN, ...Object.fromEntries(unchanged), ...defined(given) });
  return globals[DEFAULTS];
}

/** The options with all defaults applied. */
export function displaySettings(options: DisplayOptions = {}): DisplaySettings {
  return { ...BUILT_IN, ...globals[DEFAULTS], ...defined(checked(options)) };
}

/** Whether the settings stay within the built-in defaults, so that the HTML can be kept small. */
export function isWithinDefaults({ rows = 0, columns, width }: DisplaySettings): boolean {
  return rows <= 20 && columns <= BUILT_IN.columns && width <= BUILT_IN.width;
}

function checked(given: DisplayOptions): DisplayOptions {
  const options = checkedOptions(given, Object.keys(BUILT_IN), "option of display");
  const { rows, columns, width } = options;
  if (rows !== undefined) nonNegativeInteger("rows", rows, 20);
  if (columns !== undefined) positiveInteger("columns", columns, 20);
  if (width !== undefined) positiveInteger("width", width, 80);
  return options;
}

function defined(options: DisplayOptions): Partial<DisplaySettings> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
