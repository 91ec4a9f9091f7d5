import { ValidationError } from "../../errors/index.js";
import { escaped, quoted } from "../../util/quoted.js";

/** What vega and vega-lite write their messages to. Its members are called without it. */
export interface ChartLogger {
  level(value?: number): unknown;
  error(...what: readonly unknown[]): ChartLogger;
  warn(...what: readonly unknown[]): ChartLogger;
  info(): ChartLogger;
  debug(): ChartLogger;
  /** Throws a ValidationError where there was an error, which vega itself would only tell of, and draw half a chart. */
  check(): void;
}

/**
 * Takes the messages for one chart: warnings go to the console, as they help who writes a specification; of a chart without
 * rows they only say that.
 */
export function chartLogger(rows: number): ChartLogger {
  let first: unknown;
  const logger: ChartLogger = {
    level: () => logger,
    error: (...what) => {
      first ??= what.find((part) => part instanceof Error) ?? what.join(" ");
      return logger;
    },
    warn: (...what) => {
      if (rows > 0) console.warn("chart:", escaped(what.join(" "), 1000));
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

/** The error for who wrote the specification that vega cannot take. */
export function invalidSpec(cause: unknown): ValidationError {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new ValidationError(`invalid spec: vega says ${quoted(said, 300)}.`, {
    hint: "See the documentation of Vega-Lite for what a specification may hold.",
    parameter: "spec",
    cause,
  });
}
