import { ValidationError } from "../../errors/index.js";
import { type ChartFrame, frameColumns } from "./chartData.js";

/** @throws ValidationError for a frame without some columns; `from` says what makes a frame with them */
export function requireColumns(frame: ChartFrame, names: readonly string[], from: string): readonly string[] {
  const columns = frameColumns(frame);
  const missing = names.filter((name) => !columns.includes(name));
  if (missing.length === 0) return columns;
  throw new ValidationError(`invalid frame: it has no column ${missing.join(", ")}.`, {
    hint: `Give a frame of ${from}.`,
    parameter: "frame",
  });
}
