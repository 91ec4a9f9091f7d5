import { dirname } from "node:path";
import { faulty } from "../errors/validators.js";

// A project may have two copies of nodejs-polars. The native code of one crashes the process if it gets an object of the other.

/** The members that hold native objects, with their classes in our copy. */
const classes = new Map<string, unknown>();
/** The directory of our copy. */
let directory = "";

type Make = (native: object) => Record<string, unknown>;
interface ExprModule {
  _Expr: Make & { isGuarded?: boolean };
  /** polars calls it for every argument of an expression or verb. */
  exprToLitOrExpr(value: unknown, ...options: unknown[]): unknown;
}

/** Makes our copy of polars refuse expressions of other copies, and hides its own from them. `require` loads our copy. */
export function guardPolars(require: NodeJS.Require): void {
  directory = dirname(require.resolve("nodejs-polars"));
  const native = require("nodejs-polars/bin/native-polars.js") as Record<string, { prototype: object }>;
  const names = { _df: "JsDataFrame", _ldf: "JsLazyFrame", _s: "JsSeries", _expr: "JsExpr" };
  for (const [member, name] of Object.entries(names)) classes.set(member, native[name]);
  const module = require("nodejs-polars/bin/lazy/expr/index.js") as ExprModule;
  const { _Expr: make, exprToLitOrExpr } = module;
  // Another copy of this package has already done this.
  if (make.isGuarded) return;
  const makeGuarded: Make = (native) => {
    const read = () => {
      refuseOtherCaller("expression", read);
      return native;
    };
    return Object.defineProperty(Object.assign(make(native), { inner: read }), "_expr", { get: read });
  };
  module._Expr = Object.assign(makeGuarded, make, { isGuarded: true });
  module.exprToLitOrExpr = (value, ...options) => {
    refuseOtherPolars(value);
    return exprToLitOrExpr(value, ...options);
  };
  // `pl.when`, `then` and `otherwise` read the native object of an expression themselves.
  const whenTypes = ["JsWhen", "JsThen", "JsChainedWhen", "JsChainedThen"].map((name) => native[name]?.prototype);
  for (const owner of [native, ...whenTypes]) guardMethods(owner as object);
}

/** Makes methods of native objects refuse the native expressions of another copy. */
function guardMethods(owner: object): void {
  const methods = owner as Record<string, (native: object) => unknown>;
  for (const name of ["when", "then", "otherwise"].filter((each) => each in owner)) {
    const method = methods[name] as (native: object) => unknown;
    methods[name] = function (expr) {
      refuseOtherPolars({ [Symbol.toStringTag]: "Expr", _expr: expr });
      return method.call(this, expr);
    };
  }
}

/**
 * Refuses to give the native object of a frame or expression to another copy of nodejs-polars.
 *
 * @param read the function that was called for the object
 * @throws ValidationError if another copy called it
 */
export function refuseOtherCaller(what: "frame" | "expression", read: (...args: never[]) => unknown): void {
  const trace: { stack?: string } = {};
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 1;
  Error.captureStackTrace(trace, read);
  Error.stackTraceLimit = stackTraceLimit;
  const caller = String(trace.stack);
  if (!/[\\/]nodejs-polars[\\/]/.test(caller) || caller.includes(directory)) return;
  const hint = 'Make the frame with the pl of this package: import { pl } from "archive-frames".';
  throw faulty(what, "it comes from archive-frames, but the call from another copy of nodejs-polars", hint);
}

/** The polars type of a value: "DataFrame", "LazyDataFrame", "Series" or "Expr"; undefined for any other value. */
export function polarsType(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  // `in` does not find the tag of a frame. The tag of an expression is a function.
  const tag: unknown = Reflect.get(value, Symbol.toStringTag);
  return typeof tag === "function" ? tag.call(value) : tag;
}

/** Whether a value is a frame, series or expression of another copy of nodejs-polars. */
function isOfOtherPolars(value: unknown): boolean {
  if (polarsType(value) === undefined) return false;
  return [...classes].some(([member, type]) => {
    const nativeClass = (Reflect.get(value as object, member) as object | undefined)?.constructor;
    return nativeClass !== undefined && nativeClass !== type && String(nativeClass).includes("native code");
  });
}

/**
 * Checks values that go to polars.
 *
 * @throws ValidationError for a frame, series or expression of another copy of nodejs-polars
 */
export function refuseOtherPolars(...values: readonly unknown[]): void {
  const at = values.findIndex(isOfOtherPolars);
  if (at < 0) return;
  const hint = 'Make it with the pl of this package: import { pl } from "archive-frames".';
  const name = polarsType(values[at]) === "Expr" ? "expression" : "frame";
  throw faulty(name, "it is of another copy of nodejs-polars", hint);
}
