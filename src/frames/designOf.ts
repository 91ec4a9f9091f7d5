import { faulty } from "../errors/validators.js";
import { checkPolarsFrame } from "./engine.js";
import { columnCells } from "./frameColumns.js";
import type { Design, Phase } from "./lineage/design.js";
import { type PolarsFrame, pl } from "./polars.js";
import { provenanceOf } from "./provenanceOf.js";
import { columnsOf, type ResultColumn } from "./resultFrame.js";

/** The design of a frame, see {@link designOf}. */
export interface FrameDesign extends Design {
  /** How many rows each row stands for: 1 / probability. */
  readonly weights: readonly number[];
  /** The stratum of each row. */
  readonly stratum: readonly string[];
  /** The page that each row was drawn with; null for a row that was drawn by itself. */
  readonly unit: readonly (string | null)[];
  /** How many rows were drawn from the stratum of each row; null where that is unknown. Of codes, the rest was not coded. */
  readonly drawn: readonly (number | null)[];
}

export interface DrawnRow {
  readonly stratum: string;
  readonly probability: number;
  readonly drawn: number;
  /** Of `archive.sample`: the page, null for a row that was drawn by itself. */
  readonly page?: number | null;
}

/** The columns `stratum`, `probability`, `drawn` and, of pages, `page`. They stay with the rows through verbs and files. */
export function designColumns(rows: readonly DrawnRow[], hasPages = false): ResultColumn[] {
  return [
    ...columnsOf(rows, pl.Utf8, "stratum"),
    ...columnsOf(rows, pl.Float64, "probability"),
    ...columnsOf(rows, pl.Int64, "drawn", ...(hasPages ? (["page"] as const) : [])),
  ];
}

/**
 * How the rows of a frame were drawn: with which weights, from which strata, with which pages, in which draws. `rates`, `compare`, `terms`,
 * `dispersion`, `keyness`, `valueCounts`, `agreement` and `estimate` use it.
 *
 * Each row has its part in the columns `stratum`, `probability`, `drawn` and `page`, which `sampleRows` and `archive.sample` add and which stay
 * through verbs and files. The `phases`, with the sizes of all strata, follow the frame with its provenance.
 *
 * @param frame a sample, or what verbs made of one
 * @returns undefined for a frame that is not a sample
 * @throws ValidationError for a sample with rows without a probability, or whose column `probability` was dropped while its rows had different ones
 * @example
 * const sample = await archive.sample("mentions", "climate", { rows: 200 });
 * designOf(sample)?.phases[0]?.strata; //=> [{ name: "all", of: 20037, drawn: 200 }]
 */
export function designOf(frame: PolarsFrame): FrameDesign | undefined {
  return designOfParameter(frame, "frame");
}

/**
 * {@link designOf} for the frame of a parameter.
 *
 * @param otherwise what to do instead of mending the frame: the end of hints
 */
export function designOfParameter(frame: PolarsFrame, name: string, otherwise = ""): FrameDesign | undefined {
  checkPolarsFrame(frame, name);
  const { phases = [] } = provenanceOf(frame)?.design ?? {};
  const has = (column: string) => frame.columns.includes(column);
  // Other columns may be called "probability", too: that of a classifier, for example.
  if (phases.length === 0 && !(has("probability") && has("stratum"))) return undefined;
  const probability = has("probability")
    ? columnCells(frame, "probability")
    : new Array(frame.height).fill(constant(phases, name, otherwise));
  const unknown = probability.filter((value) => typeof value !== "number" || !(value > 0 && value <= 1)).length;
  if (unknown > 0) {
    const what = `${unknown} of its rows have no probability of being drawn, above 0 and up to 1`;
    throw faulty(name, what, `Filter them out${otherwise}.`);
  }
  const stratum = columnCells(frame, "stratum").map((value) => String(value ?? "all"));
  // Where rows were drawn, a column "page" is of something else.
  const pages = phases.some(({ unit }) => unit === "page") || phases.length === 0 ? columnCells(frame, "page") : [];
  return {
    phases,
    weights: probability.map((value) => 1 / (value as number)),
    stratum,
    // A later draw has strata of its own, which pages cross.
    unit: stratum.map((name, row) => {
      return (pages[row] ?? null) === null ? null : phases.length > 1 ? String(pages[row]) : `${name}/${pages[row]}`;
    }),
    drawn: columnCells(frame, "drawn").map((value) => (value === null ? null : Number(value))),
  };
}

/** The probability of all rows, where the strata do not differ. */
function constant(phases: readonly Phase[], name: string, otherwise: string): number {
  const shares = phases.map(({ strata }) => new Set(strata.map(({ of, drawn }) => drawn / of)));
  if (shares.every(({ size }) => size === 1)) return shares.reduce((product, [share = 1]) => product * share, 1);
  const what = "its rows were drawn with different probabilities, and the column probability is gone";
  throw faulty(name, what, `Keep it: frame.select(…, "stratum", "probability")${otherwise}.`);
}
