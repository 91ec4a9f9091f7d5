import { invalid } from "../errors/validators.js";
import { type Engine, engineOf, isPolarsFrame } from "./engine.js";
import type { PolarsFrame } from "./polars.js";

/**
 * Checks that a value is a frame. Every function that takes a frame begins with it.
 *
 * @param name how the function calls the value
 * @param what what to give instead
 * @returns its engine
 * @throws ValidationError that says what was given, and for a promise that `await` is missing
 */
export function checkFrame(value: unknown, name = "frame", what = "a polars or danfo frame"): Engine {
  const engine = engineOf(value);
  if (engine !== undefined) return engine;
  throw invalid(name, value, `Give ${what}.`);
}

/** The same for functions that take polars frames only. */
export function checkPolarsFrame(value: unknown, name = "frame", what = "a polars frame"): PolarsFrame {
  if (isPolarsFrame(value)) return value;
  throw invalid(name, value, `Give ${what}.`);
}
