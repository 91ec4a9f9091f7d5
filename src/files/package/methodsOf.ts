import { invalid } from "../../errors/validators.js";
import { isPolarsFrame } from "../../frames/engine.js";
import type { Step } from "../../frames/lineage/step.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { type Provenance, verdictText } from "../../service/paging/provenanceRecorder.js";
import { pluralize } from "../../util/counts.js";
import { sum } from "../../util/sum.js";
import { VERSION } from "../../util/version.js";
import { type FileProvenance, fileProvenance } from "./fileProvenance.js";

/** What only frames in memory know, and `datapackage.json`. */
type Reports = Pick<Provenance, "members" | "sample" | "lookups" | "speeches">;

/**
 * A methods paragraph for a paper: what was searched, when and with which limits, how many rows were found, what was left out, which
 * steps followed, and the versions. It is generated from the lineage alone, and the same frame gives the same text.
 *
 * @param value a frame, a chart or a list of rows of this package, or what polars made from one
 * @returns plain text of one paragraph
 * @throws ValidationError for a value of unknown origin
 * @example
 * const speeches = (await archive.mentions("climate", { mindate: "2024-01-01", maxItems: 10_000 })).filter(pl.col("length").gt(60));
 * methodsOf(speeches);
 * //=> 'We searched mentions for "climate" (mindate 2024-01-01) in embedded archive, seed 1 on 2026-11-24. The search returned 889 rows
 * //    (SHA-256 of the responses: 58799895ecd793a8…) and is complete. Its rows were then filtered by length > 60, which left
 * //    816 rows. Data were retrieved with archive-frames 0.1.0.'
 */
export function methodsOf(value: unknown): string {
  const provenance = provenanceOf(value);
  if (provenance === undefined) {
    const hint = "Give a frame of this package: series and frames made from plain rows have no provenance.";
    throw invalid("value", isPolarsFrame(value) ? "a frame without provenance" : value, hint);
  }
  const { members, sample, lookups, speeches } = provenance;
  const height = isPolarsFrame(value) ? value.height : undefined;
  return methodsText({ ...fileProvenance(provenance), members, sample, lookups, speeches }, height);
}

/** {@link methodsOf} of the provenance of a saved file. */
export function methodsText(
  provenance: FileProvenance & { [K in keyof Reports]?: Reports[K] | undefined },
  height?: number,
): string {
  const { sources = [provenance], steps = [], members, sample, speeches, lookups = [], version } = provenance;
  const versions = [
    ...new Set([...sources.map((source) => source.version), version].flatMap((each) => each.split(" + "))),
  ];
  return [
    ...sources.map((source) => searchText(source, sample)),
    ...(speeches === undefined ? [] : [speechesText(speeches)]),
    ...stepsText(steps, sources.length, height),
    ...lookups.map(
      ({ operation, ids, found }) =>
        `Of ${pluralize(ids, "id")} that were looked up as ${operation}, ${found} ${were(found)} found.`,
    ),
    ...(members === undefined
      ? []
      : [
          `Speakers were matched to members of Congress (${members.legislators.source}): ${members.byId} of ${pluralize(members.rows, "row")} by id and ${members.byName} by name.`,
        ]),
    `Data were retrieved with archive-frames ${versions.join(" and ")}${versions.includes(VERSION) ? "" : `; this text was written by version ${VERSION}`}.`,
  ].join(" ");
}

const OPERATIONS: Readonly<Record<string, string>> = {
  programsSearch: "programs",
  speechesOnBill: "speeches on the bill",
};

function speechesText({ included, excluded, unresolved, rejected }: NonNullable<Reports["speeches"]>): string {
  const totalOf = (parts: ReadonlyArray<{ readonly speeches: number }>) => sum(parts.map((each) => each.speeches));
  return (
    `Of the speeches that were found, ${totalOf(included)} by ${pluralize(included.length, "speaker")} are included; left out were ` +
    `${totalOf(rejected)} that do not name the bill, ${totalOf(excluded)} of other speakers, and ${totalOf(unresolved)} of speakers whose title is unknown.`
  );
}

function searchText(source: FileProvenance, sample: Reports["sample"]): string {
  const { operation, parameters, retrieved, rows, duplicates, conflicts, sha256 } = source;
  const { query, ...limits } = parameters;
  const given = Object.entries(limits).map(([name, value]) => `${name} ${value}`);
  const what = [
    `We searched ${OPERATIONS[operation] ?? operation}`,
    ...(query === undefined ? [] : [`for ${JSON.stringify(query)}`]),
    ...(given.length === 0 ? [] : [`(${given.join(", ")})`]),
    `in ${source.source}`,
    ...(retrieved === null ? [] : [`on ${retrieved}`]),
  ].join(" ");
  const left = [
    ...(duplicates
      ? [`${pluralize(duplicates, "row")} that repeated an earlier row ${were(duplicates)} left out.`]
      : []),
    ...(conflicts
      ? [`${pluralize(conflicts, "row")} with the id of another row and different contents ${were(conflicts)} kept.`]
      : []),
  ];
  const hash = sha256 ? ` (SHA-256 of the responses: ${sha256.slice(0, 16)}…)` : "";
  const found =
    sample === undefined
      ? `The search returned ${pluralize(rows, "row")}${hash} and ${ending(source)}`
      : `${sample.rows} of its ${pluralize(sample.of, "row")} were drawn at random with the seed ${sample.seed}${hash}.`;
  return [`${what}.`, found, ...left].join(" ");
}

function ending(source: FileProvenance): string {
  if (source.verdict === "complete") return "is complete.";
  const why = verdictText(source);
  return source.verdict === "capped" ? `is not complete (${why}).` : `did not finish (${why}), so rows are missing.`;
}

const STEPS: Readonly<Record<string, string>> = {
  filter: "filtered by",
  where: "filtered by",
  select: "reduced to",
  drop: "stripped of",
  sort: "sorted by",
  head: "cut to the first",
  limit: "cut to the first",
  tail: "cut to the last",
  sample: "sampled at random:",
  unique: "made unique by",
  groupBy: "grouped by",
  groupByDynamic: "grouped by",
  groupByRolling: "grouped by",
  withColumns: "extended by",
  withColumn: "extended by",
  withMembers: "joined with members of Congress",
  withPeople: "joined with people of the archive",
  withPrograms: "joined with programs of the archive",
  join: "joined with other rows by",
  concat: "combined",
  rename: "given other column names:",
  kwic: "searched for",
  countSpeakers: "counted by speaker",
  valueCounts: "counted by values of",
  rates: "counted as rates of",
  compare: "compared in their rates of",
  terms: "counted by term",
  keyness: "compared term by term",
  dispersion: "measured for the dispersion of",
  mentionsOverTime: "counted over time",
  readFrame: "read from",
  sampleRows: "sampled at random:",
  readCodes: "coded by people for",
  codeWith: "coded by a function for",
  resolve: "reduced to agreed codes by",
  estimate: "used to estimate shares of",
  agreement: "compared between coders",
  corpus: "collected in the corpus",
};

function stepsText(steps: readonly Step[], sources: number, height: number | undefined): readonly string[] {
  if (steps.length === 0) return [];
  const words = steps.map(({ verb, detail }) =>
    [
      STEPS[verb] ?? `passed to ${verb}`,
      ...(detail === undefined ? [] : [STEPS[verb] === undefined ? `(${detail})` : expressionWords(detail)]),
    ].join(" "),
  );
  const list = words.length === 1 ? words[0] : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
  const left = height === undefined ? "" : `, which left ${pluralize(height, "row")}`;
  return [`${sources === 1 ? "Its" : "Their"} rows were then ${list}${left}.`];
}

function were(count: number): string {
  return count === 1 ? "was" : "were";
}

const METHODS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\.(?:strict_)?cast\(\w+(?:\([^()]*\))?\)/g, ""],
  [/\.is_null\(\)\.not\(\)|\.is_not_null\(\)/g, " is not null"],
  [/\.is_null\(\)/g, " is null"],
  [/\.is_in\(\[\[?([^[\]()]*)\]?\]\)/g, " is one of $1"],
  [/\.str\.contains\(\["([^[\]()]*)"\]\)/g, ' contains "$1"'],
  [/\.str\.contains\(\["(.*?)"\]\)/g, ' matches "$1"'],
  [/\.alias\("([^"]*)"\)/g, " as $1"],
];

const OPERATORS: Readonly<Record<string, string>> = { "==": "is", "!=": "is not", "&": "and", "|": "or" };
/** An operator between two operands that have no operators of their own any more. */
const OPERATION = /\[\(([^()[\]]*)\) ([^\s()[\]]+) \(([^()[\]]*)\)\]/g;
/** Stand for parentheses, brackets and so on, in literals and in what has been put into words. */
const PLAIN = "()[]";
const HIDDEN = "\uE000\uE001\uE002\uE003";

/**
 * The text of a polars expression in plain words. Parts that it does not know stay as polars writes them.
 * @example
 * expressionWords('[([(col("length")) > (60.0)]) & ([(col("party")) == ("Democrat")])]'); //=> 'length > 60 and party is "Democrat"'
 */
function expressionWords(text: string): string {
  let words = text.replace(/\bcol\("([^"]*)"\)/g, "$1");
  for (const [method, word] of METHODS) words = words.replace(method, word);
  words = words.replace(/"[^"]*"|(\d)\.0\b|( 00:00:00)\b/g, (match, digit?: string, midnight?: string) =>
    midnight === undefined ? (digit ?? swapped(match, PLAIN, HIDDEN)) : "",
  );
  for (let before = ""; before !== words; ) {
    before = words;
    words = words.replace(OPERATION, (_match, left: string, operator: string, right: string) => {
      const operand = (side: string) =>
        operator === "&" && side.includes(" or ") ? `${HIDDEN[0]}${side}${HIDDEN[1]}` : side;
      return `${operand(left)} ${OPERATORS[operator] ?? operator} ${operand(right)}`;
    });
  }
  return swapped(words, HIDDEN, PLAIN);
}

function swapped(text: string, from: string, to: string): string {
  return text.replace(/./gsu, (character) => to[from.indexOf(character)] ?? character);
}
