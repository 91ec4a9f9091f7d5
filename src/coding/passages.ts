import { checkedOptions, nonNegativeInteger, positiveInteger } from "../errors/validators.js";
import { checkPolarsFrame } from "../frames/engine.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { missingColumns, textsOf, withStep } from "../text/read/textSource.js";
import { seededRandom, sha256Of } from "../util/hash.js";

/** What coders see of a passage. Missing columns are null, as the party without `withMembers`. */
const COLUMNS = ["text", "person", "party", "programTitle", "begintime", "link"] as const;

/** A passage as coders see it; `row` is its key. */
type Passage = Readonly<Record<"row", string> & Record<(typeof COLUMNS)[number], string | null>>;

/** @throws ValidationError for anything but a polars frame with texts */
export function checkPassages(name: string, value: unknown): PolarsFrame {
  const frame = checkPolarsFrame(value, name, "a polars frame of mentions");
  if (!frame.columns.includes("text")) throw missingColumns(name, ["text"]);
  return frame;
}

export function rowsAt(frame: PolarsFrame, positions: readonly number[]): PolarsFrame {
  return frame.select(...frame.columns.map((name) => pl.col(name).gather([...positions])));
}

/** The first 16 characters of the SHA-256 of a text. */
export function hashOf(text: string): string {
  return sha256Of(text).slice(0, 16);
}

export function passagesOf(frame: PolarsFrame): readonly Passage[] {
  const rows = rowKeys(frame);
  const columns = COLUMNS.map((name) => textsOf(frame, name));
  return rows.map((row, at) => {
    const values = Object.fromEntries(COLUMNS.map((name, column) => [name, columns[column]?.[at] ?? null]));
    return { ...(values as Passage), row };
  });
}

const IDENTITY = ["id", "programid", "begintime", "text"] as const;
/** Other ids could be a formula in a spreadsheet, so their key is the hash alone. */
const SAFE_ID = /^[\w-]{1,64}$/;

/**
 * A key for every row: its id and six characters of the hash of id, program, time and text, or without an id the whole hash. It is the same
 * in a sample and in the frame from which it was drawn. Equal rows are numbered.
 */
export function rowKeys(frame: PolarsFrame): readonly string[] {
  const columns = IDENTITY.map((name) => textsOf(frame, name));
  const counts = new Map<string, number>();
  return Array.from({ length: frame.height }, (_, at) => {
    const values = columns.map((column) => column[at] ?? null);
    const hash = hashOf(JSON.stringify(values));
    const id = values[0] ?? "";
    // Begins with a letter, because a spreadsheet would round digits.
    const key = SAFE_ID.test(id) ? `m${id}-${hash.slice(0, 6)}` : `m-${hash}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 1 ? key : `${key}~${count}`;
  });
}

/** Options of {@link sampleRows}. */
export interface SampleRowsOptions {
  /** Rows to draw; of a smaller frame, all of them. */
  rows: number;
  /** The same seed draws the same rows of the same frame. Default 1. */
  seed?: number | undefined;
}

/**
 * Draws a random sample of the rows of a frame, each equally likely, in the order of the frame.
 *
 * @example
 * const frame = await archive.mentions("climate", { maxItems: 1000 });
 * const sample = sampleRows(frame, { rows: 200, seed: 1 });
 * sample.height; //=> 200
 */
export function sampleRows(frame: PolarsFrame, options: SampleRowsOptions): PolarsFrame {
  const checked = checkedOptions(options, ["rows", "seed"], "option of sampleRows");
  checkPolarsFrame(frame);
  const rows = Math.min(positiveInteger("rows", checked.rows, 200), frame.height);
  const seed = nonNegativeInteger("seed", checked.seed ?? 1, 1);
  const sample = shuffled([...Array(frame.height).keys()], seededRandom(seed)).slice(0, rows);
  const positions = sample.toSorted((a, b) => a - b);
  return withStep(frame, rowsAt(frame, positions), "sampleRows", `sampled at random with the seed ${seed}`);
}

export function shuffled<T>(values: readonly T[], random: () => number): readonly T[] {
  const keyed = values.map((value) => ({ value, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value);
}
