import { checkedOptions, nonEmptyString, positiveInteger } from "../../errors/validators.js";
import { mostFrequent } from "../../util/mostFrequent.js";
import { pluralize } from "../display/grid.js";
import { type ChartFrame, columnValues, requireColumns } from "./chartData.js";
import { countAxis, rankingColors, rankValues } from "./chartTheme.js";
import { type Chart, drawChart } from "./drawChart.js";

/** Options of {@link speechesBySenator}. */
export interface SpeechesBySenatorOptions {
  /** Number of speakers to show, those with the most speeches first. Default 15. */
  top?: number | undefined;
  /** The title of the chart. Default `"Speeches by senator"`. */
  title?: string | undefined;
}

const DEFAULT_TOP = 15;
const REQUIRED_COLUMNS = ["personid", "name"];

interface Speaker {
  readonly label: string;
  readonly id: string;
  readonly speeches: number;
  readonly byBill: Map<string, number>;
}

/**
 * Draws speeches by speaker: one bar per speaker with the number of rows, colored by bill if there are several.
 *
 * @param frame a frame of `archive.speechesOnBill`
 * @param given number of speakers, and title
 * @throws ValidationError for a frame without the columns `personid` and `name`
 * @throws ArchiveError `CHARTS_MISSING` if vega or vega-lite cannot be loaded
 * @example
 * const frame = await archive.speechesOnBill({ title: "Inflation Reduction Act", congress: 117 });
 * await speechesBySenator(frame, { top: 10 });
 */
export async function speechesBySenator(frame: ChartFrame, given: SpeechesBySenatorOptions = {}): Promise<Chart> {
  const options = checkedOptions(given, ["top", "title"], "option of speechesBySenator");
  const top = options.top === undefined ? DEFAULT_TOP : positiveInteger("top", options.top, DEFAULT_TOP);
  const title = options.title === undefined ? "Speeches by senator" : nonEmptyString("title", options.title);
  const columns = requireColumns(frame, REQUIRED_COLUMNS, "archive.speechesOnBill(…)");
  const bills = rankValues(billNames(frame, columns));
  const speakers = speakersOf(frame, bills.names);
  const shown = speakers.slice(0, top);
  const values = shown.flatMap(({ label, byBill }) =>
    bills.order.flatMap((bill, rank) => {
      const speeches = byBill.get(bill);
      return speeches === undefined ? [] : [{ speaker: label, bill, rank, speeches }];
    }),
  );
  const totals = shown.map(({ label, speeches }) => ({ speaker: label, speeches }));
  const y = { field: "speaker", type: "nominal", title: null, sort: shown.map(({ label }) => label) };
  const color = {
    field: "bill",
    type: "nominal",
    scale: rankingColors(bills.order),
    legend: { orient: "bottom", columns: 1 },
  };
  return drawChart(
    {
      title: { text: title, subtitle: subtitle(bills, speakers, shown) },
      encoding: { y, x: { field: "speeches", type: "quantitative", axis: countAxis(shown[0]?.speeches ?? 1) } },
      layer: [
        {
          mark: { type: "bar", height: { band: 0.75 } },
          ...(bills.order.length > 1 ? { encoding: { color, order: { field: "rank", type: "quantitative" } } } : {}),
        },
        {
          data: { values: totals },
          mark: { type: "text", align: "left", dx: 4, color: "#333" },
          encoding: { text: { field: "speeches", format: ",d" } },
        },
      ],
    },
    values,
    ["speaker", "bill", "speeches"],
  );
}

function speakersOf(frame: ChartFrame, bills: readonly string[]): readonly Speaker[] {
  const ids = columnValues(frame, "personid");
  const names = columnValues(frame, "name");
  // By id: the name of one person may be spelled in several ways. Rows without an id have only their names.
  const people = new Map<string, { id: unknown; rows: number[] }>();
  ids.forEach((id, row) => {
    const key = JSON.stringify(id === null ? [id, names[row]] : [id]);
    const person = people.get(key) ?? { id, rows: [] };
    person.rows.push(row);
    people.set(key, person);
  });
  const labels = new Set<string>();
  const speakers = [...people.values()].map(({ id, rows }): Speaker => {
    const spellings = rows.map((row) => names[row]).filter((name) => typeof name === "string");
    const name = mostFrequent(spellings) ?? (id === null ? "unknown" : `person ${id}`);
    // People who share a name get separate bars.
    const label = labels.has(name) ? `${name} (${id})` : name;
    labels.add(label);
    const byBill = new Map<string, number>();
    for (const row of rows) byBill.set(bills[row] as string, (byBill.get(bills[row] as string) ?? 0) + 1);
    return { label, id: String(id), speeches: rows.length, byBill };
  });
  return speakers.sort((a, b) => b.speeches - a.speeches || compare(a.label, b.label) || compare(a.id, b.id));
}

/** The name of each row's bill; empty if the frame has no bill columns. */
function billNames(frame: ChartFrame, columns: readonly string[]): string[] {
  const [titles, numbers] = ["bill_title", "bill_number"].map((name) =>
    columns.includes(name) ? columnValues(frame, name) : undefined,
  );
  return columnValues(frame, "personid").map((_id, row) => String(titles?.[row] ?? numbers?.[row] ?? ""));
}

function subtitle({ order }: { order: readonly string[] }, all: readonly Speaker[], shown: readonly Speaker[]): string {
  const speeches = all.reduce((sum, speaker) => sum + speaker.speeches, 0);
  return [
    order.length === 1 ? order[0] : pluralize(order.length, "bill"),
    `${pluralize(speeches, "speech").replace("speechs", "speeches")} by ${pluralize(all.length, "speaker")}`,
    shown.length < all.length ? `top ${shown.length} shown` : "",
  ]
    .filter((part) => part !== "" && part !== "unknown")
    .join(" · ");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
