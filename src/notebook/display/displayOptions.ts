import { checkedOptions, nonNegativeInteger, positiveInteger } from "../../errors/validators.js";

/** How much of a frame is shown. */
export interface DisplayOptions {
  /**
   * Rows at most, the first and the last ones. Default: a frame of up to 20 rows (a page of the service) is shown whole, and
   * of a longer one 10 rows.
   */
  rows?: number | undefined;
  /** Columns at most, the first and the last ones. Default 20. */
  columns?: number | undefined;
  /** Characters of a cell at most; where it has more, the rest is in its title. Default 50. */
  width?: number | undefined;
}

/** Options that are checked; `rows` has no one default. */
export interface DisplaySettings {
  readonly rows: number | undefined;
  readonly columns: number;
  readonly width: number;
}

const BUILT_IN: DisplaySettings = Object.freeze({ rows: undefined, columns: 20, width: 50 });

// By a global symbol, since a kernel and its notebook may load different copies of this package.
const DEFAULTS: symbol = Symbol.for("archive-frames.display");
const globals = globalThis as { [name: symbol]: DisplaySettings | undefined };

/**
 * Sets how much of a frame is shown where nothing else is said; `undefined` takes an option back to what it was at first.
 *
 * @returns the defaults from now on
 * @throws ValidationError for an option that is unknown or no whole number
 * @example
 * displayDefaults({ rows: 30, width: 80 }); //=> { rows: 30, columns: 20, width: 80 }
 * displayDefaults({ rows: undefined });     //=> { rows: undefined, columns: 20, width: 80 }
 */
export function displayDefaults(options: DisplayOptions = {}): DisplaySettings {
  const given = checked(options);
  const kept = Object.entries(globals[DEFAULTS] ?? {}).filter(([name]) => !(name in given));
  globals[DEFAULTS] = Object.freeze({ ...BUILT_IN, ...Object.fromEntries(kept), ...defined(given) });
  return globals[DEFAULTS];
}

/** The options with what was set for all. */
export function displaySettings(options: DisplayOptions = {}): DisplaySettings {
  return { ...BUILT_IN, ...globals[DEFAULTS], ...defined(checked(options)) };
}

/** Whether no more is asked for than by default, so that the result may be kept small. */
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
