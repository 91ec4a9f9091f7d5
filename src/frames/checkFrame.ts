import type { ValidationError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { isPromise, UNAWAITED } from "../util/isObject.js";
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
  throw notAFrame(name, value, what);
}

/** The same for functions that take polars frames only. */
export function checkPolarsFrame(value: unknown, name = "frame", what = "a polars frame"): PolarsFrame {
  if (isPolarsFrame(value)) return value;
  throw notAFrame(name, value, what);
}

/** The error for a value that is neither a frame nor whatever else a function takes. */
export function notAFrame(name: string, value: unknown, what: string): ValidationError {
  return invalid(name, value, isPromise(value) ? UNAWAITED : `Give ${what}.`);
}
