import { ValidationError } from "../../errors/index.js";
import { checkedOptions, invalid, nonEmptyString, oneOf } from "../../errors/validators.js";
import { isPartial, periodsOf } from "../../frames/periodsOf.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { PERIODS, type Period, type PeriodDays, periodOf } from "../../util/period.js";
import { quoted } from "../../util/quoted.js";
import { verdictText } from "../display/caption.js";
import { pluralize } from "../display/grid.js";
import { type ChartFrame, type ChartRow, columnValues, frameColumns } from "./chartData.js";
import { CHART_THEME, COLORS, countAxis, type Ranking, rankingColors, rankValues } from "./chartTheme.js";
import { type Chart, drawChart } from "./drawChart.js";

/** Options of {@link mentionsOverTime}. */
export interface MentionsOverTimeOptions {
  /** The period of a bar, `"day"`, `"week"`, `"month"` or `"year"`. Default `"month"`. Weeks begin on Monday. */
  by?: Period | undefined;
  /** A column of timestamps. Default `"begintime"`. */
  column?: string | undefined;
  /** A column to color by: its most frequent values get a color each, all others share one. Default: none. Not for several frames. */
  color?: string | undefined;
  /** The title of the chart. Default `"Mentions by month"`, or of the given period. */
  title?: string | undefined;
}

/** The format of a period on the axis, of its middle or, for weeks, of its Monday. */
const LABEL: Readonly<Record<Period, string>> = {
  day: "utcFormat(datum.value, '%d %b %Y')",
  week: "utcFormat(datum.value - 302400000, '%d %b %Y')",
  month: "utcFormat(datum.value, '%b %Y')",
  year: "utcFormat(datum.value, '%Y')",
};

/**
 * Draws mentions over time: the number of rows by day, week, month or year (UTC), as bars, or as one line per frame. Periods without
 * mentions count zero. Periods that the search covers only in part are pale: the first one of a capped result, the current one.
 *
 * @param frames a frame of mentions, or any frame with a column of timestamps; or up to seven frames to compare, named by their queries
 * @param given period, columns and title
 * @throws ValidationError for a frame without the column, a column without timestamps, or more than 10,000 periods
 * @throws ArchiveError `CHARTS_MISSING` if vega or vega-lite cannot be loaded
 * @example
 * const climate = await archive.mentions("climate", { mindate: "2024-01-01", maxItems: 1000 });
 * await mentionsOverTime(climate, { by: "week", color: "person" });
 * const energy = await archive.mentions("energy", { mindate: "2024-01-01", maxItems: 1000 });
 * await mentionsOverTime([climate, energy]);
 */
export async function mentionsOverTime(
  frames: ChartFrame | readonly ChartFrame[],
  given: MentionsOverTimeOptions = {},
): Promise<Chart> {
  const options = checkedOptions(given, ["by", "column", "color", "title"], "option of mentionsOverTime");
  const by = options.by === undefined ? "month" : oneOf("by", options.by, PERIODS);
  const title = options.title === undefined ? `Mentions by ${by}` : nonEmptyString("title", options.title);
  if (Array.isArray(frames)) {
    if (frames.length === 0 || frames.length > COLORS.length) {
      throw invalid("frames", frames.length, `Give 1 to ${COLORS.length} frames.`);
    }
    if (options.color !== undefined) throw invalid("color", options.color, "Several frames have a color each.");
    return drawLines(
      frames.map((frame: ChartFrame) => timesOf(frame, options.column)),
      by,
      title,
    );
  }
  const found = timesOf(frames as ChartFrame, options.column);
  const color = options.color === undefined ? undefined : oneOf("color", options.color, found.columns);
  const groups = color === undefined ? undefined : rankValues(columnValues(found.frame, color));
  return drawBars(found, by, title, groups, color);
}

/** The timestamps of a frame. */
interface Times {
  readonly frame: ChartFrame;
  readonly columns: readonly string[];
  /** Milliseconds since 1970 by row; NaN for rows without a timestamp. */
  readonly byRow: readonly number[];
  readonly known: readonly number[];
  /** The first and the last of the known times. */
  readonly earliest: number;
  readonly latest: number;
}

function timesOf(frame: ChartFrame, given: string | undefined): Times {
  const columns = frameColumns(frame);
  const column = oneOf("column", given ?? "begintime", columns);
  const byRow = columnValues(frame, column).map((value) =>
    typeof value === "string" ? Date.parse(value) : Number.NaN,
  );
  const known = byRow.filter((time) => !Number.isNaN(time));
  if (byRow.length > 0 && known.length === 0) {
    throw new ValidationError(`invalid column: ${quoted(column)} contains no timestamps.`, {
      hint: 'Give a column of timestamps, for example column: "begintime".',
      parameter: "column",
    });
  }
  const earliest = known.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const latest = known.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY);
  return { frame, columns, byRow, known, earliest, latest };
}

function drawBars(
  times: Times,
  by: Period,
  title: string,
  groups: Ranking | undefined,
  color: string | undefined,
): Promise<Chart> {
  const periods = periodsOf(times.known, by);
  const values = bars(times, by, periods, groups);
  const text = { text: title, subtitle: [subtitle(times), ...paleNote(values, by)] };
  if (values.length === 0) return drawChart({ title: text, ...NO_MENTIONS }, []);
  const fill = groups && { field: "group", type: "nominal", title: color, scale: rankingColors(groups.order) };
  // Bars too thin for a white outline get one of their own color, otherwise they would look pale.
  const isThin = CHART_THEME.config.view.continuousWidth / periods.length < 4;
  const from = { field: "from", type: "quantitative", title: "mentions", axis: countAxis(maxOf(values, "to")) };
  return drawChart(
    {
      title: text,
      mark: { type: "rect", strokeWidth: 1, stroke: isThin ? COLORS[0] : "white" },
      encoding: {
        x: { ...axisOf("begin", by, periods), scale: { type: "utc", nice: false } },
        x2: { field: "end" },
        y: from,
        y2: { field: "to" },
        ...(fill && { color: fill, ...(isThin && { stroke: { ...fill, legend: null } }) }),
        opacity: PALE,
        tooltip: ["begin", ...(groups === undefined ? [] : ["group"]), "mentions"].map((field) => ({
          field,
          type: "nominal",
        })),
      },
    },
    values,
    ["begin", "group", "mentions"],
  );
}

function drawLines(all: readonly Times[], by: Period, title: string): Promise<Chart> {
  const periods = periodsOf(
    all.flatMap(({ known }) => known),
    by,
  );
  const names = all.map(({ frame }, at) => String(provenanceOf(frame)?.parameters.query ?? `frame ${at + 1}`));
  const order = names.map((name, at) => (names.indexOf(name) === at ? name : `${name} (${at + 1})`));
  const values = all.flatMap((times, at) =>
    bars(times, by, periods, undefined).map(({ begin, end, mentions, partial }) => ({
      begin,
      time: middleOf({ begin, end }),
      group: order[at],
      mentions,
      partial,
    })),
  );
  const text = { text: title, subtitle: [...all.map((times) => subtitle(times)), ...paleNote(values, by)] };
  if (values.length === 0) return drawChart({ title: text, ...NO_MENTIONS }, []);
  return drawChart(
    {
      title: text,
      encoding: {
        x: { ...axisOf("time", by, periods), scale: { type: "utc", nice: false, padding: 8 } },
        y: { field: "mentions", type: "quantitative", axis: countAxis(maxOf(values, "mentions")) },
        color: {
          field: "group",
          type: "nominal",
          title: null,
          scale: rankingColors(order),
          legend: { orient: "top", labelLimit: 400 },
        },
      },
      layer: [
        { mark: "line" },
        {
          mark: { type: "point", filled: true, size: periods.length <= 60 ? 40 : 8 },
          encoding: {
            opacity: PALE,
            tooltip: ["begin", "group", "mentions"].map((field) => ({ field, type: "nominal" })),
          },
        },
      ],
    },
    values,
    ["begin", "group", "mentions"],
  );
}

/** One label per period, below its middle. */
function axisOf(field: string, by: Period, periods: readonly PeriodDays[]) {
  const values = labeledPeriods(periods, by).map(middleOf);
  return { field, type: "temporal", title: null, axis: { values, labelExpr: LABEL[by], grid: false } };
}

/** Axes of nothing would look like a defect. */
const NO_MENTIONS = {
  width: CHART_THEME.config.view.continuousWidth,
  height: 60,
  layer: [{ data: { values: [{}] }, mark: { type: "text", text: "no mentions", color: "#555", fontSize: 14 } }],
} as const;

/** Marks what the search covers only in part. */
const PALE = { condition: { test: "datum.partial", value: 0.45 }, value: 1 } as const;

function maxOf<N extends "to" | "mentions">(values: readonly Readonly<Record<N, number>>[], name: N): number {
  return values.reduce((most, value) => Math.max(most, value[name]), 0);
}

function paleNote(values: readonly Pick<Bar, "partial">[], by: Period): string[] {
  return values.some(({ partial }) => partial) ? [`pale: a ${by} that the search covers only in part`] : [];
}

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

/** The bars of all periods, from the bottom up; a period without mentions has one of height 0. */
function bars(
  { frame, byRow, earliest }: Times,
  by: Period,
  periods: readonly PeriodDays[],
  groups: Ranking | undefined,
): readonly Bar[] {
  const counts = new Map(periods.map(({ begin }) => [begin, new Map<string, number>()]));
  byRow.forEach((time, row) => {
    if (Number.isNaN(time)) return;
    const counted = counts.get(periodOf(time, by).begin) as Map<string, number>;
    const group = groups?.names[row] ?? "";
    counted.set(group, (counted.get(group) ?? 0) + 1);
  });
  const provenance = provenanceOf(frame);
  return periods.flatMap((days) => {
    const counted = counts.get(days.begin) as Map<string, number>;
    const partial = isPartial(days, provenance, earliest) ? { partial: true as const } : {};
    let to = 0;
    const present = (groups?.order ?? [""]).filter((group) => counted.has(group));
    return (present.length === 0 ? [groups?.order[0] ?? ""] : present).map((group): Bar => {
      const [from, mentions] = [to, counted.get(group) ?? 0];
      to += mentions;
      return { ...days, group, mentions, from, to, ...partial };
    });
  });
}

/** The query, the number of mentions, and whether the result is complete. */
function subtitle({ frame, byRow, known, earliest, latest }: Times): string {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  const provenance = provenanceOf(frame);
  const { query } = provenance?.parameters ?? {};
  return [
    query,
    provenance?.operation === "speechesOnBill"
      ? pluralize(known.length, "speech", "speeches")
      : pluralize(known.length, "mention"),
    known.length === 0 ? undefined : `${day(earliest)} to ${day(latest)}`,
    byRow.length === known.length
      ? undefined
      : `${pluralize(byRow.length - known.length, "row")} without a timestamp omitted`,
    provenance === undefined || provenance.verdict === "complete" ? undefined : verdictText(provenance),
  ]
    .filter((part) => part !== undefined)
    .join(" · ");
}

/** Labels must not overlap. */
const MAX_LABELS = 10;

/** How many periods apart labels may be, so that they fall on round years, on January, on Mondays. */
const STEPS: Readonly<Record<Period, readonly number[]>> = {
  day: [1, 2, 7, 14, 28, 91, 182, 364, 728, 1820],
  week: [1, 2, 4, 13, 26, 52, 104, 260],
  month: [1, 2, 3, 6, 12, 24, 60, 120, 240],
  year: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
};

/** The middle of a period in milliseconds since 1970. */
function middleOf({ begin, end }: PeriodDays): number {
  return (Date.parse(begin) + Date.parse(end)) / 2;
}

/** The periods to label: at most ten, at equal distances. */
function labeledPeriods(periods: readonly PeriodDays[], by: Period): readonly PeriodDays[] {
  const step = STEPS[by].find((each) => periods.length / each <= MAX_LABELS) ?? Math.ceil(periods.length / MAX_LABELS);
  const isLabeled = ({ begin }: PeriodDays, at: number) => {
    const [year = 0, month = 0] = begin.split("-").map(Number);
    if (by === "year") return year % step === 0;
    return by === "month" ? (12 * year + month - 1) % step === 0 : at % step === 0;
  };
  return periods.filter(isLabeled);
}
