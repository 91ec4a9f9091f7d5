import { ValidationError } from "../../errors/index.js";
import { checkedOptions, nonEmptyString, oneOf } from "../../errors/validators.js";
import { provenanceOf } from "../../frames/provenanceOf.js";
import { quoted } from "../../util/quoted.js";
import { verdictText } from "../display/caption.js";
import { pluralize } from "../display/grid.js";
import { type ChartFrame, type ChartRow, columnValues, frameColumns } from "./chartData.js";
import { CHART_THEME, COLORS } from "./chartTheme.js";
import { type Chart, drawChart } from "./drawChart.js";
import { PERIODS, type Period, periodOf } from "./period.js";
import { type Ranking, rankingColors, rankValues } from "./rankValues.js";

/** Options of {@link mentionsOverTime}. */
export interface MentionsOverTimeOptions {
  /** The period of a bar, `"day"`, `"week"`, `"month"` or `"year"`. Default `"month"`. Weeks begin on Monday. */
  by?: Period | undefined;
  /** A column of timestamps. Default `"begintime"`. */
  column?: string | undefined;
  /** A column to color by: its most frequent values get a color each, all others share one. Default: none. */
  color?: string | undefined;
  /** The title of the chart. Default `"Mentions by month"`, or of the given period. */
  title?: string | undefined;
}

const AXIS: Readonly<Record<Period, string>> = { day: "%d %b %Y", week: "%d %b %Y", month: "%b %Y", year: "%Y" };

/**
 * Draws mentions over time: one bar per day, week, month or year (UTC), with the number of rows.
 *
 * @param frame a frame of mentions, or any frame with a column of timestamps
 * @param given period, columns and title
 * @throws ValidationError for a frame without the column, or a column without timestamps
 * @throws ArchiveError `CHARTS_MISSING` if vega or vega-lite cannot be loaded
 * @example
 * const frame = await archive.mentions("climate", { mindate: "2024-01-01", maxItems: 1000 });
 * await mentionsOverTime(frame, { by: "week", color: "person" });
 */
export async function mentionsOverTime(frame: ChartFrame, given: MentionsOverTimeOptions = {}): Promise<Chart> {
  const options = checkedOptions(given, ["by", "column", "color", "title"], "option of mentionsOverTime");
  const by = options.by === undefined ? "month" : oneOf("by", options.by, PERIODS);
  const columns = frameColumns(frame);
  const column = oneOf("column", options.column ?? "begintime", columns);
  const color = options.color === undefined ? undefined : oneOf("color", options.color, columns);
  const title = options.title === undefined ? `Mentions by ${by}` : nonEmptyString("title", options.title);

  const times = columnValues(frame, column).map((value) =>
    typeof value === "string" ? Date.parse(value) : Number.NaN,
  );
  const found = times.filter((time) => !Number.isNaN(time));
  if (times.length > 0 && found.length === 0) {
    throw new ValidationError(`invalid column: ${quoted(column)} contains no timestamps.`, {
      hint: 'Give a column of timestamps, for example column: "begintime".',
      parameter: "column",
    });
  }
  const groups = color === undefined ? undefined : rankValues(columnValues(frame, color));
  const values = bars(times, by, groups);
  const fill = groups && { field: "group", type: "nominal", title: color, scale: rankingColors(groups.order) };
  // Bars too thin for a white outline get one of their own color, otherwise they would look pale.
  const isThin = widthOf(values) < 4;
  return drawChart(
    {
      title: { text: title, subtitle: subtitle(frame, found, times.length) },
      mark: { type: "rect", strokeWidth: 1, stroke: isThin ? COLORS[0] : "white" },
      encoding: {
        x: { field: "begin", type: "temporal", title: null, scale: { type: "utc" }, axis: { format: AXIS[by] } },
        x2: { field: "end" },
        y: { field: "from", type: "quantitative", title: "mentions", axis: { tickMinStep: 1, format: ",d" } },
        y2: { field: "to" },
        ...(fill && { color: fill, ...(isThin && { stroke: { ...fill, legend: null } }) }),
        tooltip: ["begin", ...(groups === undefined ? [] : ["group"]), "mentions"].map((field) => ({
          field,
          type: "nominal",
        })),
      },
    },
    values,
  );
}

/** A bar or one segment of it, with explicit ends, because Vega-Lite does not stack on temporal scales. */
interface Bar extends ChartRow {
  begin: string;
  end: string;
  group: string;
  mentions: number;
  from: number;
  to: number;
}

function bars(times: readonly number[], by: Period, groups: Ranking | undefined): readonly Bar[] {
  const found = new Map<string, Bar>();
  times.forEach((time, row) => {
    if (Number.isNaN(time)) return;
    const days = periodOf(time, by);
    const group = groups?.names[row] ?? "";
    const key = JSON.stringify([days.begin, group]);
    const bar = found.get(key) ?? { ...days, group, mentions: 0, from: 0, to: 0 };
    bar.mentions++;
    found.set(key, bar);
  });
  const rank = ({ group }: Bar) => groups?.order.indexOf(group) ?? 0;
  const sorted = [...found.values()].sort((a, b) => compare(a.begin, b.begin) || rank(a) - rank(b));
  sorted.forEach((bar, at) => {
    const below = sorted[at - 1];
    bar.from = below?.begin === bar.begin ? below.to : 0;
    bar.to = bar.from + bar.mentions;
  });
  return sorted;
}

/** The approximate width of a bar in pixels. */
function widthOf(values: readonly Bar[]): number {
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return Number.POSITIVE_INFINITY;
  const span = (from: string, to: string) => Date.parse(to) - Date.parse(from);
  return (CHART_THEME.config.view.continuousWidth * span(first.begin, first.end)) / span(first.begin, last.end);
}

/** The query, the number of mentions, and whether the result is complete. */
function subtitle(frame: ChartFrame, times: readonly number[], rows: number): string {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  const earliest = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const latest = times.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY);
  const provenance = provenanceOf(frame);
  const { query } = provenance?.parameters ?? {};
  return [
    query,
    pluralize(times.length, "mention"),
    times.length === 0 ? undefined : `${day(earliest)} to ${day(latest)}`,
    rows === times.length ? undefined : `${pluralize(rows - times.length, "row")} without a timestamp omitted`,
    provenance === undefined || provenance.verdict === "complete" ? undefined : verdictText(provenance),
  ]
    .filter((part) => part !== undefined)
    .join(" · ");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
