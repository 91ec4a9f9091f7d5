import { ValidationError } from "../../errors/index.js";
import { escaped, quoted } from "../../util/quoted.js";

/** A logger for vega and vega-lite, which call its members unbound. */
export interface ChartLogger {
  level(value?: number): unknown;
  error(...message: readonly unknown[]): ChartLogger;
  warn(...message: readonly unknown[]): ChartLogger;
  info(): ChartLogger;
  debug(): ChartLogger;
  /** Throws a ValidationError if an error was logged: vega only logs some errors and draws half a chart. */
  check(): void;
}

/**
 * The logger of one chart. Warnings go to the console to help the author of the specification, except for an empty chart, where
 * they only report missing data.
 */
export function chartLogger(rows: number): ChartLogger {
  let first: unknown;
  const logger: ChartLogger = {
    level: () => logger,
    error: (...message) => {
      first ??= message.find((part) => part instanceof Error) ?? message.join(" ");
      return logger;
    },
    warn: (...message) => {
      if (rows > 0) console.warn("chart:", escaped(message.join(" "), 1000));
      return logger;
    },
    info: () => logger,
    debug: () => logger,
    check: () => {
      if (first !== undefined) throw invalidSpec(first);
    },
  };
  return logger;
}

/** The error for a specification that vega rejects. */
export function invalidSpec(cause: unknown): ValidationError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new ValidationError(`invalid spec: vega reports ${quoted(message, 300)}.`, {
    hint: "See the Vega-Lite documentation.",
    parameter: "spec",
    cause,
  });
}
