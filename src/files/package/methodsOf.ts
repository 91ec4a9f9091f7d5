import { invalid } from "../../errors/validators.js";
import { isPolarsFrame } from "../../frames/engine.js";
import type { Step, StepValue } from "../../frames/lineage/step.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { formatCount, pluralize } from "../../util/counts.js";
import { groupBy } from "../../util/groupBy.js";
import { sum } from "../../util/sum.js";
import { verdictText } from "../../util/verdictText.js";
import { VERSION } from "../../util/version.js";
import { type FileLineage, type FileProvenance, fileProvenance } from "./fileProvenance.js";
import { typedQuery } from "./typedQuery.js";

/**
 * Writes a methods paragraph for a paper: what was searched, when and with which limits, how many rows were found, what was left out,
 * which steps followed, and the versions. It is generated only from the lineage, so the same frame gives the same text.
 *
 * @param value a frame, a chart or a list of rows of this package, or a frame derived from one
 * @returns one paragraph of plain text
 * @throws ValidationError for a value of unknown origin
 * @example
 * const speeches = (await archive.mentions("climate", { mindate: "2024-01-01", maxItems: 10_000 })).filter(pl.col("length").gt(60));
 * methodsOf(speeches);
 * //=> 'We searched mentions for "climate" (mindate 2024-01-01) in embedded archive 3f2a9c1b on 2026-11-24. The search returned 889 rows
 * //    (SHA-256 of the responses: 58799895ecd793a8…) and is complete. Its rows were then filtered by length > 60, which left
 * //    816 rows. Data were retrieved with archive-frames 0.1.0.'
 */
export function methodsOf(value: unknown): string {
  const provenance = provenanceOf(value);
  if (provenance === undefined) {
    const hint = "Give a frame of this package: series and frames made from plain rows have no provenance.";
    throw invalid("value", isPolarsFrame(value) ? "a frame without provenance" : value, hint);
  }
  return methodsText(fileProvenance(provenance), isPolarsFrame(value) ? value.height : undefined);
}

/** {@link methodsOf} for the provenance of a saved file. */
export function methodsText(provenance: FileProvenance, height?: number): string {
  const { sources = [provenance], inputs, steps = [], version } = provenance;
  const versions = [
    ...new Set([...sources.map((source) => source.version), version].flatMap((each) => each.split(" + "))),
  ];
  const lineage: FileLineage = inputs === undefined ? { source: 0, steps } : { inputs, steps };
  return [
    ...new Paragraph(sources, lineage).lineage(lineage, height),
    `Data were retrieved with archive-frames ${versions.join(" and ")}${versions.includes(VERSION) ? "" : `; this text was written by version ${VERSION}`}.`,
  ].join(" ");
}

/** Describes each source once, with its own steps, then how they were combined, and the steps since. */
class Paragraph {
  readonly #described = new Set<number>();
  /** By source: the steps of each of its uses. */
  readonly #uses = new Map<number, (readonly Step[])[]>();

  constructor(
    readonly sources: readonly FileProvenance[],
    all: FileLineage,
  ) {
    const add = ({ source = 0, inputs, steps }: FileLineage) => {
      if (inputs === undefined) this.#uses.set(source, [...(this.#uses.get(source) ?? []), steps]);
      else inputs.forEach(add);
    };
    add(all);
  }

  lineage({ source, inputs, steps }: FileLineage, height?: number): readonly string[] {
    if (inputs === undefined) return this.#source(source ?? 0, steps, height);
    const [combined, ...since] = steps;
    return [
      ...inputs.flatMap((input) => this.lineage(input)),
      ...(combined === undefined ? [] : combinedText(combined, inputs.length, since.length === 0 ? height : undefined)),
      ...stepsText("The result was", since, height),
    ];
  }

  /** One use of a source. The steps that all uses share are described with the source. */
  #source(at: number, steps: readonly Step[], height?: number): readonly string[] {
    const source = this.sources[at] as FileProvenance;
    const uses = this.#uses.get(at) as (readonly Step[])[];
    const different = steps.findIndex((step, nth) => uses.some((use) => !isSameStep(step, use[nth])));
    const shared = different < 0 ? steps.length : different;
    const rest = steps.slice(shared);
    const isFirst = !this.#described.has(at);
    this.#described.add(at);
    const first = isFirst
      ? [
          searchSentence(source),
          ...stepsText("Its rows were then", steps.slice(0, shared), rest.length === 0 ? height : undefined),
        ]
      : [];
    const what = source.sample === undefined ? "search" : "sample";
    const rows = `the rows of ${source.parameters.query === undefined ? `that ${what}` : `the ${what} for ${typedQuery(source.parameters.query)}`}`;
    if (rest.length > 0)
      return [...first, ...stepsText(`In ${isFirst ? "one" : "another"} use, ${rows} were then`, rest, height)];
    return isFirst ? first : [`${rows.replace("t", "T")} were used again.`];
  }
}

const OPERATIONS: Readonly<Record<string, string>> = {
  programsSearch: "programs",
  speechesOnBill: "speeches on the bill",
};

function speechesText(report: NonNullable<FileProvenance["speeches"]>): string {
  const { included, excluded, unresolved, rejected, bills = [] } = report;
  const silent = bills.length > 1 ? bills.filter(({ speeches }) => speeches === 0) : [];
  const names = silent.map(
    ({ bill: { title, number } }) => [title, number].filter(Boolean).join(", ") || "custom queries",
  );
  const totalOf = (parts: ReadonlyArray<{ readonly speeches: number }>) =>
    formatCount(sum(parts.map((each) => each.speeches)));
  const why = [...groupBy(rejected, ({ reason }) => reason)].map(([reason, own]) => `${totalOf(own)}: ${reason}`);
  return (
    `Of the ${totalOf([...included, ...rejected, ...excluded, ...unresolved])} speeches found, ${totalOf(included)} by ` +
    `${pluralize(included.length, "speaker")} are included. We left out ${totalOf(rejected)} that were not judged to be about the bill` +
    `${why.length === 0 ? "" : ` (${listed(why)})`}, ${totalOf(excluded)} of other speakers, and ${totalOf(unresolved)} of speakers whose title is unknown.` +
    (silent.length === 0
      ? ""
      : ` There are none on ${silent.length} of the ${bills.length} bills (${names.join("; ")}).`)
  );
}

function searchSentence(source: FileProvenance): string {
  const { operation, parameters, retrieved, rows, duplicates, conflicts, sha256, sample, speeches } = source;
  const { query, bills, mindate, maxdate, ...limits } = parameters;
  const given = Object.entries({ mindate, maxdate, ...limits }).flatMap(([name, value]) =>
    value === undefined ? [] : `${name} ${value}`,
  );
  const what = joined(" ", [
    `We searched ${OPERATIONS[operation] ?? operation}`,
    query !== undefined && `for ${typedQuery(query)}`,
    bills !== undefined && billsText(bills),
    given.length > 0 && `(${given.join(", ")})`,
    `in ${source.source}`,
    retrieved !== null && `on ${retrieved}`,
  ]);
  const hash = sha256 ? ` (SHA-256 of the responses: ${sha256.slice(0, 16)}…)` : "";
  const found =
    sample === undefined
      ? `The search returned ${pluralize(rows, "row")}${hash} and ${ending(source)}`
      : `Of its ${pluralize(sample.of, "row")}, ${formatCount(sample.rows)} were drawn at random with the seed ${sample.seed}${sample.pageRows === null ? "" : ` from ${pluralize(sample.pages, "page")}`}${hash}.`;
  return joined(" ", [
    `${what}.`,
    found,
    duplicates > 0 && `${pluralize(duplicates, "row")} that repeated an earlier row ${were(duplicates)} left out.`,
    conflicts > 0 &&
      `${pluralize(conflicts, "row")} with the id of another row and different contents ${were(conflicts)} kept.`,
    speeches !== undefined && speechesText(speeches),
  ]);
}

/** Lists bills by title and number, from the JSON in the parameters of a call. */
function billsText(text: string): string {
  try {
    const bills = JSON.parse(text) as ReadonlyArray<Readonly<Record<string, unknown>>>;
    const names = bills.map(({ title, number, congress }) => {
      const further = joined(", ", [number as string, congress !== undefined && `Congress ${congress}`]);
      return `${typedQuery(title ?? number)}${clause(" (", further, ")")}`;
    });
    return listed(names);
  } catch {
    return text;
  }
}

function ending(source: FileProvenance): string {
  const why = verdictText(source);
  if (source.verdict === "complete") return `is ${why}.`;
  return source.verdict === "capped" ? `is not complete (${why}).` : `did not finish (${why}), so rows are missing.`;
}

type Arguments = Readonly<Record<string, StepValue>>;

const STEPS: Readonly<Record<string, (given: Arguments) => string>> = {
  filter: ({ predicate }) => `filtered by ${text(predicate)}`,
  where: ({ predicate }) => `filtered by ${text(predicate)}`,
  select: ({ columns }) => `reduced to ${text(columns)}`,
  drop: ({ columns }) => `stripped of ${text(columns)}`,
  sort: ({ by, descending }) => `sorted by ${text(by)}${isTrue(descending) ? " in descending order" : ""}`,
  reverse: () => "reversed",
  head: ({ length = 5 }) => `cut to the first ${count(length)}`,
  limit: ({ length = 5 }) => `cut to the first ${count(length)}`,
  tail: ({ length = 5 }) => `cut to the last ${count(length)}`,
  slice: ({ offset = 0, length }) =>
    `cut to ${length === undefined ? "the rows" : count(length)} after ${Number(offset) < 0 ? `the last ${count(-Number(offset))}` : `the first ${count(offset)}`}`,
  unique: ({ subset }) => (subset === undefined ? "deduplicated" : `deduplicated by ${text(subset)}`),
  dropNulls: ({ columns }) => `filtered to rows with ${columns === undefined ? "all values" : text(columns)}`,
  withColumns: ({ columns }) => `extended by ${text(columns)}`,
  withColumn: ({ column }) => `extended by ${text(column)}`,
  groupBy: grouped,
  groupByDynamic: grouped,
  groupByRolling: grouped,
  join: (given) => `joined with other rows${joinedBy(given)}`,
  concat: () => "combined",
  vstack: () => "combined",
  extend: () => "combined",
  rename: (names) =>
    `given other column names (${Object.entries(names.names ?? {})
      .map(([from, to]) => `${from} → ${to}`)
      .join(", ")})`,
  withMembers: ({ source, rows, byId, byName }) =>
    `joined with members of Congress${source === undefined ? "" : ` (${text(source)}: ${formatCount(Number(byId))} of ${count(rows)} by id and ${formatCount(Number(byName))} by name)`}`,
  withPeople: looked("people"),
  withPrograms: looked("programs"),
  sql: ({ query }) => `queried with ${text(query)}`,
  readFrame: ({ file }) => `saved and read from ${text(file)}`,
  valueCounts: (given) => `counted by values of ${text(given.columns ?? Object.values(given)[0])}`,
  sampleRows: ({ rows, of, seed }) => `sampled at random: ${formatCount(Number(rows))} of ${count(of)}, seed ${seed}`,
  sample: ({ n, frac, seed }) =>
    `sampled at random (${frac === undefined ? count(n ?? 1) : `a share of ${text(frac)}`}${seed === undefined ? "" : `, seed ${seed}`})`,
  rates: (given) => `counted as rates of ${phrases(given)}${counted(given)}`,
  compare: (given) => `compared in their rates of ${phrases(given)}${counted(given)}`,
  keyness: ({ min, prior }) =>
    `compared by term (log-likelihood and log-odds with a prior of ${text(prior)} words, of terms that occur ${text(min)} times or more in both together)`,
  collocations: ({ min }) => `counted by pairs of neighbouring words that occur ${text(min)} times or more`,
  reairings: ({ overlap, days }) =>
    `marked where they repeat an earlier broadcast (${Math.round(100 * Number(overlap))} % or more of its sequences of five words, within ${text(days)} days)`,
  terms: ({ by, ngrams = 1, min, clusters, ...given }) =>
    `counted by term of ${ngrams === 1 ? "one word" : `${text(ngrams)} words`}${clause(" by ", by)}${clause(", at least ", min, " times")}${rowsCounted(given)}${clause(", clustered by ", clusters)}`,
  readCodes: (given) =>
    `coded by ${text(given.coders)} for ${text(given.variables)}, ${text(given.coded)} of ${count(given.of)}`,
  agreement: ({ variables, measures }) =>
    `tested for how far coders agree about ${text(variables)} (${text(measures)})`,
  kwic: ({ patterns }) => `searched for ${text(patterns)}`,
  corpus: ({ directory }) => `collected in the corpus ${text(directory)}`,
};

function grouped({ by, indexColumn, aggregates, function: name }: Arguments): string {
  const values = aggregates ?? (name === "len" ? "the number of rows" : name);
  return `grouped by ${text(by ?? indexColumn)}${values === "agg" ? "" : clause(" (", values, ")")}`;
}

function phrases({ patterns }: Arguments): string {
  return listed(
    [patterns].flat().map((each) => (typeof each === "string" ? typedQuery(each) : text(each as StepValue))),
  );
}

function confident(confidence: StepValue | undefined = 0.95): string {
  return `intervals of ${Math.round(Number(confidence) * 1000) / 10} % confidence`;
}

function intervals({ confidence, clusters }: Arguments): string {
  return `with ${confident(confidence)}${clause(", clustered by ", clusters)}`;
}

function rowsCounted({ once }: Arguments): string {
  return isTrue(once) ? ", each speech once" : "";
}

/** The options of rates: unit, groups, denominators, intervals and adjustment. */
function counted(given: Arguments): string {
  const { by, groups, per = 10_000, baseline, design, date, window, adjust } = given;
  const unit = typeof per === "number" ? `${formatCount(per)} words` : text(per);
  return joined(", ", [
    ` per ${unit}${clause(" by ", by)}${clause(" (", groups, ")")}${rowsCounted(given)}`,
    baseline !== undefined && `with ${baseline === "own rows" ? "their own rows" : "other speech"} as the baseline`,
    design !== undefined && `${text(design)} ${text(date)}${clause(", ", window, " days on each side")}`,
    intervals(given),
    adjust === "holm" && "p values adjusted by Holm's method",
  ]);
}

function looked(what: string): (given: Arguments) => string {
  return ({ ids, found, skipped }) =>
    `joined with ${what} of the archive${ids === undefined ? "" : ` (${formatCount(Number(found))} of ${pluralize(Number(ids), "id")} found${clause(", ", skipped, " not looked up")})`}`;
}

function stepText({ verb, arguments: given = {} }: Step): string {
  const known = STEPS[verb];
  if (known !== undefined && Object.hasOwn(STEPS, verb)) return known(given);
  const words = Object.entries(given).map(([name, value]) => `${name} ${text(value)}`);
  return `passed to ${verb}${clause(" (", words.join(", "), ")")}`;
}

/** A value with what goes around it; nothing without a value. */
function clause(before: string, value: StepValue | undefined, after = ""): string {
  return value === undefined || value === "" ? "" : `${before}${text(value)}${after}`;
}

/** The parts that are there, in one text. */
function joined(separator: string, parts: ReadonlyArray<string | false | undefined>): string {
  return parts.filter(Boolean).join(separator);
}

function text(value: StepValue | undefined): string {
  if (Array.isArray(value)) return listed(value.map((each) => text(each as StepValue)));
  if (typeof value === "number") return Number.isInteger(value) && value >= 0 ? formatCount(value) : String(value);
  if (typeof value !== "object" || value === null) return String(value);
  return listed(Object.entries(value).map(([name, each]) => `${name} ${text(each as StepValue)}`));
}

function isTrue(value: StepValue | undefined): boolean {
  return value === true || (Array.isArray(value) && value.length > 0 && value.every((each) => each === true));
}

function count(value: StepValue | undefined): string {
  return pluralize(Number(value), "row");
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function combinedText(step: Step, inputs: number, height: number | undefined): readonly string[] {
  const all = inputs === 2 ? "both" : `all ${inputs}`;
  const after = step.rows?.[1] ?? height;
  const isJoin = step.verb === "join" || step.verb === "joinAsof";
  const done = isJoin ? `joined${joinedBy(step.arguments)}` : stepText(step);
  return [
    `The rows of ${all} were then ${done}${after === undefined ? "" : `, which gave ${pluralize(after, "row")}`}.`,
  ];
}

function joinedBy({ on, leftOn, how }: Arguments = {}): string {
  return `${clause(" by ", on ?? leftOn)}${clause(" (", how, ")")}`;
}

function isSameStep({ rows: _rows, ...step }: Step, other: Step | undefined): boolean {
  const { rows: _others, ...rest } = other ?? {};
  return JSON.stringify(step) === JSON.stringify(rest);
}

/** Describes steps, with the number of rows after each step that changed it. */
function stepsText(subject: string, steps: readonly Step[], height: number | undefined): readonly string[] {
  if (steps.length === 0) return [];
  const words = steps.map((step, at) => {
    const { rows, effect } = step;
    const [said, after] = [stepText(step), pluralize(rows?.[1] ?? 0, "row")];
    const isChange = rows !== undefined && rows[0] !== rows[1] && effect !== "order" && at < steps.length - 1;
    return isChange && !said.includes(` ${after}`) ? `${said} (${after})` : said;
  });
  const after = height ?? steps.at(-1)?.rows?.[1];
  const isSame = steps.every(({ effect }) => effect === "columns" || effect === "order");
  const verb = steps.at(-1)?.effect === "summary" ? "gave" : "left";
  return [
    `${subject} ${listed(words)}${after === undefined || isSame ? "" : `, which ${verb} ${pluralize(after, "row")}`}.`,
  ];
}

function were(count: number): string {
  return count === 1 ? "was" : "were";
}
