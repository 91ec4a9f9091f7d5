import { checkedOptions, faulty, invalid, nonEmptyString, oneOf } from "../../errors/validators.js";
import { queriesOf } from "../../frames/lineage/derived.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { askedRange, type Covered, coveredBy, isPartial, isUncovered, periodsOf } from "../../text/read/periods.js";
import { pluralize } from "../../util/counts.js";
import { PERIODS, type Period, type PeriodDays, periodName, periodOf } from "../../util/period.js";
import { quoted } from "../../util/quoted.js";
import { timeOf } from "../../util/timestamp.js";
import { verdictText } from "../../util/verdictText.js";
import { type ChartRow, columnValues, frameColumns } from "./chartData.js";
import { CHART_THEME, COLORS, countAxis, type Ranking, rankValues, Series, type SeriesOptions } from "./chartSeries.js";
import { type Chart, chartSource, drawChart } from "./drawChart.js";

/** The format of a period on the axis, of its middle or, for weeks, of its Monday. */
const LABEL: Readonly<Record<Period, string>> = {
  day: "utcFormat(datum.value, '%d %b %Y')",
  week: "utcFormat(datum.value - 302400000, '%d %b %Y')",
  month: "utcFormat(datum.value, '%b %Y')",
  quarter: "utcFormat(datum.value, '%Y-Q%q')",
  year: "utcFormat(datum.value, '%Y')",
  // The middle of a Congress is in its second year.
  congress: "floor((utcyear(datum.value) - 1787) / 2)",
};

/**
 * Draws mentions over time: the number of rows by day, week, month, quarter, year (UTC) or Congress, as bars, or as one line per frame. Periods without
 * mentions count zero, from the first to the last day that the search asked for. Periods that the search covers only in part are
 * pale: the current one, the last one that a capped result reached, and all of a capped result whose rows are in no order. Those that it did not reach are
 * left out.
 *
 * @param frames a frame of mentions, or any frame with a column of timestamps; or up to seven frames to compare, named by their queries
 * @param given `by`: `"day"`, `"week"`, `"month"` (default), `"quarter"`, `"year"` or `"congress"`; `column`: timestamps, default
 * `"begintime"`; `color`: a column to color by, not for several frames; `title`; `labels`: names of several frames, or of groups; `colors`,
 * `events`
 * @throws ValidationError for a frame without the column, a column without timestamps, or more than 10,000 periods
 * @example
 * const climate = await archive.mentions("climate", { mindate: "2024-01-01", maxItems: 1000 });
 * await mentionsOverTime(climate, { by: "week", color: "person" });
 * const energy = await archive.mentions("energy", { mindate: "2024-01-01", maxItems: 1000 });
 * await mentionsOverTime([climate, energy]);
 */
export async function mentionsOverTime(
  frames: PolarsFrame | readonly PolarsFrame[],
  given: {
    /** The period of a bar, `"day"`, `"week"`, `"month"`, `"quarter"`, `"year"` or `"congress"`. Default `"month"`. Weeks begin on Monday. */
    by?: Period | undefined;
    /** A column of timestamps. Default `"begintime"`. */
    column?: string | undefined;
    /** A column to color by: its most frequent values get a color each, all others share one. Default: none. Not for several frames. */
    color?: string | undefined;
    /** The title of the chart. Default `"Mentions by month"`, or of the given period. */
    title?: string | undefined;
    /** The names of several frames in the legend, one for each, by default their queries; or other names of groups. */
    labels?: readonly string[] | Readonly<Record<string, string>> | undefined;
  } & Omit<SeriesOptions, "labels"> = {},
): Promise<Chart> {
  const known = ["by", "column", "color", "title", "labels", "colors", "events"];
  const options = checkedOptions(given, known, "option of mentionsOverTime");
  const by = options.by === undefined ? "month" : oneOf("by", options.by, PERIODS);
  const title = options.title === undefined ? `Mentions by ${by}` : nonEmptyString("title", options.title);
  const isList = Array.isArray(frames);
  const all: readonly PolarsFrame[] = isList ? frames : [frames as PolarsFrame];
  if (all.length === 0 || all.length > COLORS.length) {
    throw invalid("frames", all.length, `Give 1 to ${COLORS.length} frames.`);
  }
  if (isList && options.color !== undefined) throw invalid("color", options.color, "Several frames have a color each.");
  const found = all.map((frame) => timesOf(frame, options.column));
  const times = found.flatMap((each) => each.times.filter((time) => !Number.isNaN(time)));
  const asked = times.length === 0 ? [] : found.flatMap(({ provenance, covered }) => askedRange(provenance, covered));
  const periods = periodsOf([...times, ...asked], by);
  const { labels, colors, events } = options;
  const isNames = Array.isArray(labels);
  const series = new Series({ labels: isNames ? undefined : (labels as SeriesOptions["labels"]), colors, events });
  const names = checkedNames(isNames ? labels : undefined, isList ? all.length : 0);
  const groups = isList ? namesOf(all, names, series) : groupsOf(all[0] as PolarsFrame, options.color, series);
  const bars = found.flatMap((each, at) =>
    barsOf(each, by, periods, isList ? { names: [], order: [groups?.order[at] ?? ""] } : groups),
  );
  const notes = bars.some(({ partial }) => partial) ? [`pale: a ${by} that the search covers only in part`] : [];
  const head = { title: { text: title, subtitle: [...found.map(subtitle), ...notes] } };
  const source = chartSource(all, "mentionsOverTime", `charted by ${by}`);
  if (bars.length === 0) return drawChart(head, [], source);
  const named = bars.map((bar) => ({ ...bar, period: periodName(bar.begin, by) }));
  const values = isList ? named.map((bar) => ({ ...bar, time: middleOf(bar) })) : named;
  const spec = isList ? lines(periods, by) : stackedBars(periods, by);
  const color = groups && {
    field: "group",
    type: "nominal",
    title: isList ? null : options.color,
    scale: series.scale(groups.order),
    ...(isList && { legend: { orient: "top", labelLimit: 400 } }),
  };
  const y = {
    field: isList ? "mentions" : "from",
    type: "quantitative",
    title: "mentions",
    axis: countAxis(bars.reduce((most, { to }) => Math.max(most, to), 0)),
  };
  const stroke = color && !isList && isThin(periods) && { stroke: { ...color, legend: null } };
  const tooltip = ["period", ...(groups === undefined ? [] : ["group"]), "mentions"];
  const encoding = {
    ...spec.encoding,
    y,
    ...(color && { color, ...stroke }),
    tooltip: tooltip.map((field) => ({ field, type: "nominal" })),
  };
  return drawChart(series.withEvents({ ...head, ...spec, encoding }), values, source, ["period", "group", "mentions"]);
}

/** Bars of explicit ends; those that the search covers only in part are pale. */
function stackedBars(periods: readonly PeriodDays[], by: Period) {
  return {
    // Bars too thin for a white outline get one of their own color, otherwise they would look pale.
    mark: { type: "rect", strokeWidth: 1, stroke: isThin(periods) ? COLORS[0] : "white" },
    encoding: {
      x: { ...axisOf("begin", by, periods), scale: { type: "utc", nice: false } },
      x2: { field: "end" },
      y2: { field: "to" },
      opacity: PALE,
    },
  };
}

/** A line per group, with a point in the middle of each period. */
function lines(periods: readonly PeriodDays[], by: Period) {
  const point = { type: "point", filled: true, size: periods.length <= 60 ? 40 : 8 };
  return {
    encoding: { x: { ...axisOf("time", by, periods), scale: { type: "utc", nice: false, padding: 8 } } },
    layer: [{ mark: "line" }, { mark: point, encoding: { opacity: PALE } }],
  };
}

function isThin(periods: readonly PeriodDays[]): boolean {
  return CHART_THEME.config.view.continuousWidth / periods.length < 4;
}

function checkedNames(labels: readonly string[] | undefined, frames: number): readonly string[] {
  const isValid =
    Array.isArray(labels) && labels.length === frames && labels.every((label) => typeof label === "string");
  if (labels === undefined || (isValid && frames > 0)) return labels ?? [];
  throw invalid("labels", labels, "Give a list of frames, and a text for each of them.");
}

function namesOf(frames: readonly PolarsFrame[], given: readonly string[], series: Series): Ranking {
  const names = frames.map(
    (frame, at) => given[at] ?? series.label(queriesOf(provenanceOf(frame)) ?? `frame ${at + 1}`),
  );
  return { names: [], order: names.map((name, at) => (names.indexOf(name) === at ? name : `${name} (${at + 1})`)) };
}

/** The rows of a frame by the values of a column. */
function groupsOf(frame: PolarsFrame, column: string | undefined, series: Series): Ranking | undefined {
  if (column === undefined) return undefined;
  const values = columnValues(frame, oneOf("color", column, frameColumns(frame)));
  return rankValues(values.map((value) => (typeof value === "string" ? series.label(value) : value)));
}

interface Times {
  readonly provenance: Provenance | undefined;
  readonly covered: Covered;
  /** Milliseconds since 1970 by row; NaN for rows without a timestamp. */
  readonly times: readonly number[];
}

function timesOf(frame: PolarsFrame, given: string | undefined): Times {
  const column = oneOf("column", given ?? "begintime", frameColumns(frame));
  const times = columnValues(frame, column).map((value) =>
    typeof value === "string" ? (timeOf(value) ?? Number.NaN) : Number.NaN,
  );
  if (times.length > 0 && times.every(Number.isNaN)) {
    const hint = 'Give a column of timestamps, for example column: "begintime".';
    throw faulty("column", `${quoted(column)} contains no timestamps`, hint);
  }
  const provenance = provenanceOf(frame);
  return { provenance, covered: coveredBy(provenance, times), times };
}

/** One label per period, below its middle. */
export function axisOf(field: string, by: Period, periods: readonly PeriodDays[]) {
  const values = labeledPeriods(periods, by).map(middleOf);
  return { field, type: "temporal", title: null, axis: { values, labelExpr: LABEL[by], grid: false } };
}

/** Marks what the search covers only in part. */
const PALE = { condition: { test: "datum.partial", value: 0.45 }, value: 1 } as const;

/** A bar or one segment of it, with explicit ends, because Vega-Lite does not stack on temporal scales. */
interface Bar extends ChartRow {
  begin: string;
  end: string;
  group: string;
  mentions: number;
  from: number;
  to: number;
  /** Present if the search covers only a part of the period. */
  partial?: true;
}

/** The bars of all periods that were fetched, from the bottom up; a period without mentions has one of height 0. */
function barsOf(
  { covered, times }: Times,
  by: Period,
  periods: readonly PeriodDays[],
  { names, order }: Ranking = { names: [], order: [""] },
): readonly Bar[] {
  const [first = ""] = order;
  const counts = new Map(periods.map(({ begin }) => [begin, new Map<string, number>()]));
  times.forEach((time, row) => {
    if (Number.isNaN(time)) return;
    const counted = counts.get(periodOf(time, by).begin);
    const group = names[row] ?? first;
    counted?.set(group, (counted.get(group) ?? 0) + 1);
  });
  return periods.flatMap((days) => {
    const counted = counts.get(days.begin);
    const partial = isPartial(days, covered) ? { partial: true as const } : {};
    const present = order.filter((group) => counted?.has(group));
    // Nothing was fetched here, so it may not be 0.
    if (present.length === 0 && isUncovered(days, covered)) return [];
    let to = 0;
    return (present.length === 0 ? [first] : present).map((group): Bar => {
      const [from, mentions] = [to, Math.round(counted?.get(group) ?? 0)];
      to += mentions;
      return { ...days, group, mentions, from, to, ...partial };
    });
  });
}

/** The query, the number of mentions, and whether the result is complete. */
function subtitle({ provenance, times }: Times): string {
  const known = times.filter((time) => !Number.isNaN(time)).sort((a, b) => a - b);
  const missing = times.length - known.length;
  const day = (time = 0) => new Date(time).toISOString().slice(0, 10);
  const isSpeeches = provenance?.operation === "speechesOnBill";
  const parts = [
    queriesOf(provenance),
    ...new Set(provenance?.steps?.map(({ verb }) => verb)),
    isSpeeches ? pluralize(known.length, "speech", "speeches") : pluralize(known.length, "mention"),
    provenance?.sample && "a sample",
    known.length === 0 ? undefined : `${day(known[0])} to ${day(known.at(-1))}`,
    missing === 0 ? undefined : `${pluralize(missing, "row")} without a timestamp omitted`,
    provenance === undefined || provenance.verdict === "complete" ? undefined : verdictText(provenance),
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}

const MAX_LABELS = 10;

/** Possible numbers of periods between labels: they fall on round years, Januaries and Mondays. */
const STEPS: Readonly<Record<Period, readonly number[]>> = {
  day: [1, 2, 7, 14, 28, 91, 182, 364, 728, 1820],
  week: [1, 2, 4, 13, 26, 52, 104, 260],
  month: [1, 2, 3, 6, 12, 24, 60, 120, 240],
  quarter: [1, 2, 4, 8, 20, 40, 80],
  year: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
  congress: [1, 2, 5, 10, 20, 50],
};

/** The middle of a period in milliseconds since 1970. */
export function middleOf({ begin, end }: PeriodDays): number {
  return (Date.parse(begin) + Date.parse(end)) / 2;
}

/** The periods to label: at most ten, at equal distances. */
function labeledPeriods(periods: readonly PeriodDays[], by: Period): readonly PeriodDays[] {
  const step = STEPS[by].find((each) => periods.length / each <= MAX_LABELS) ?? Math.ceil(periods.length / MAX_LABELS);
  const isLabeled = ({ begin }: PeriodDays, at: number) => {
    const [year = 0, month = 0] = begin.split("-").map(Number);
    if (by === "year") return year % step === 0;
    if (by === "quarter") return (4 * year + Math.floor(month / 3)) % step === 0;
    return by === "month" ? (12 * year + month - 1) % step === 0 : at % step === 0;
  };
  return periods.filter(isLabeled);
}
