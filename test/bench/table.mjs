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

/** A number with three digits that count. */
export function short(value) {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

function cells({ what, median = "", ratio, goal }) {
  const times = ratio === undefined ? "" : `${short(ratio)} ×`;
  if (goal === undefined) return [what, median, times, "", ""];
  const verdict = goal.missed <= 0 ? "met" : `missed by ${`${short(goal.missed)} ${goal.unit}`.trim()}`;
  return [what, median, times, `${goal.sign} ${goal.limit} ${goal.unit}`.trim(), verdict];
}

/**
 * Prints the lines of a benchmark: `what`, `median` (text), `ratio` (number), `goal`.
 *
 * @param title the name of the benchmark
 */
export function printTable(title, lines) {
  const rows = [[title, "median", "ratio", "goal", ""], ...lines.map(cells)];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  console.log();
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    );
}
