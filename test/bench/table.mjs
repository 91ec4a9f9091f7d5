import { all, median, ratio } from "./rounds.mjs";

/** A goal, and the measurement that meets or misses it. */
export const atMost = (limit, value, unit = "") => ({ sign: "≤", limit, value, unit, missed: value - limit });
export const atLeast = (limit, value, unit = "") => ({ sign: "≥", limit, value, unit, missed: limit - value });
export const exactly = (limit, value, unit = "") => ({
  sign: "=",
  limit,
  value,
  unit,
  missed: Math.abs(value - limit),
});

/** A line with one figure, and what that may be at most or has to be at least. */
export function figure(what, value, unit, { most, least } = {}) {
  const line = { what, median: `${short(value)} ${unit}` };
  if (most !== undefined) return { ...line, goal: atMost(most, value, unit) };
  return least === undefined ? line : { ...line, goal: atLeast(least, value, unit) };
}

/** A line with the times of some rounds, and how many times those of others they are. */
export function timesLine(what, times, others) {
  const [ms, cpu] = ["ms", "cpu"].map((name) => all(times, name));
  const ratios = others && { ratio: ratio(ms, all(others, "ms")), cpuRatio: ratio(cpu, all(others, "cpu")) };
  return { what, median: `${short(median(ms))} ms`, cpu: `${short(median(cpu))} ms`, ...ratios };
}

/** A number with three significant digits. */
export function short(value) {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

const times = (multiple) => (multiple === undefined ? "" : `${short(multiple)} ×`);

function cells({ what, median = "", ratio, cpu = "", cpuRatio, goal }) {
  const measured = [what, median, times(ratio), cpu, times(cpuRatio)];
  if (goal === undefined) return [...measured, "", ""];
  const verdict = goal.missed <= 0 ? "met" : `missed by ${`${short(goal.missed)} ${goal.unit}`.trim()}`;
  return [...measured, `${goal.sign} ${goal.limit} ${goal.unit}`.trim(), verdict];
}

/**
 * Prints the lines of a benchmark: `what`, `median` (text), `ratio` (number), `cpu` (text), `cpuRatio` (number), `goal`.
 *
 * @param title the name of the benchmark
 */
export function printTable(title, lines) {
  const rows = [[title, "median", "ratio", "CPU", "ratio", "goal", ""], ...lines.map(cells)];
  const columns = rows[0]
    .map((_, column) => column)
    .filter((column) => rows.slice(1).some((row) => row[column] !== ""));
  const widths = columns.map((column) => Math.max(...rows.map((row) => row[column].length)));
  console.log();
  for (const row of rows)
    console.log(
      columns
        .map((column, at) => row[column].padEnd(widths[at]))
        .join("  ")
        .trimEnd(),
    );
}
