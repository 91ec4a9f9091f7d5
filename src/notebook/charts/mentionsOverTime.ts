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
  /** What a bar stands for. Default `"month"`; weeks begin on Monday. */
  by?: Period | undefined;
  /** The column of the moments. Default `"begintime"`. */
  column?: string | undefined;
  /** A column whose most frequent values get colours of their own; the others are one colour. */
  color?: string | undefined;
  /** Default `"Mentions by month"`. */
  title?: string | undefined;
}

const AXIS: Readonly<Record<Period, string>> = { day: "%d %b %Y", week: "%d %b %Y", month: "%b %Y", year: "%Y" };

/**
 * How often something was said, over time: a bar for each day, week, month or year (UTC).
 *
 * @param frame mentions, of which the rows that are there are counted; other frames with a column of moments do as well
 * @throws ValidationError for a frame without the column, or without a moment in it; ArchiveError `CHARTS_MISSING`
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
    throw new ValidationError(`invalid column: ${quoted(column)} has no moments.`, {
      hint: 'Name a column of moments, for example column: "begintime".',
      parameter: "column",
    });
  }
  const groups = color === undefined ? undefined : rankValues(columnValues(frame, color));
  const values = bars(times, by, groups);
  const fill = groups && { field: "group", type: "nominal", title: color, scale: rankingColors(groups.order) };
  // Bars too thin for a white line between them get one of their own colour, or they would be too pale to see.
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

/** A bar, or one colour of it: from where to where it goes is said outright, as no scale of Vega-Lite piles up dates. */
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

/** How many pixels wide a bar will be, about. */
function widthOf(values: readonly Bar[]): number {
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return Number.POSITIVE_INFINITY;
  const span = (from: string, to: string) => Date.parse(to) - Date.parse(from);
  return (CHART_THEME.config.view.continuousWidth * span(first.begin, first.end)) / span(first.begin, last.end);
}

/** What was searched, how much of it is counted, and whether that is all. */
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
    rows === times.length ? undefined : `${pluralize(rows - times.length, "row")} without a moment left out`,
    provenance === undefined || provenance.verdict === "complete" ? undefined : verdictText(provenance),
  ]
    .filter((part) => part !== undefined)
    .join(" · ");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
