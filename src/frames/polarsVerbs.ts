import { inspect } from "node:util";
import { faulty } from "../errors/validators.js";
import { quoted } from "../util/text.js";
import { polarsType, refuseOtherCaller } from "./otherPolars.js";

// Intercepts the methods of polars frames. polars creates every frame with one of two functions, which it calls through its exports.

type Method = (...args: unknown[]) => unknown;
type Methods = Record<string | symbol, unknown>;

/** Runs a method of a frame. A handler may check the arguments before and the result after it. */
export type VerbHandler = (verb: string, frame: object | undefined, args: unknown[], run: () => unknown) => unknown;

/** Several copies of this package may share one polars: the first one sets the handler. */
const HANDLER = Symbol.for("archive-frames.verbs");
const globals = globalThis as { [HANDLER]?: VerbHandler };

/** Lets a handler run the methods of all frames and lazy frames, and `pl.concat`. */
export function handleVerbs(handle: VerbHandler): void {
  globals[HANDLER] ??= handle;
}

/** Makes polars frames pass their method calls to the handler. */
export function interceptVerbs(require: NodeJS.Require, polars: { concat: unknown }): void {
  const frames = require("nodejs-polars/bin/dataframe.js") as Record<string, Method>;
  const lazyFrames = require("nodejs-polars/bin/lazy/dataframe.js") as Record<string, Method>;
  const functions = require("nodejs-polars/bin/functions.js") as Record<string, Method>;
  const intercepted = (make: Method) => (inner: unknown) => new Proxy(new Intercepted(make(inner) as Methods), PASS);
  if (!replace(frames, "_DataFrame", intercepted)) return;
  replace(lazyFrames, "_LazyDataFrame", intercepted);
  replace(
    functions,
    "concat",
    (concat) =>
      (...args) =>
        runVerb("concat", undefined, args, () => concat(...args)),
  );
  polars.concat = functions.concat;
}

function replace(exports: Record<string, Method>, name: string, wrap: (method: Method) => Method): boolean {
  const method = exports[name] as Method;
  if (HANDLER in method) return false;
  exports[name] = Object.assign(wrap(method), { [HANDLER]: true });
  return true;
}

function runVerb(verb: string, frame: object | undefined, args: unknown[], run: () => unknown): unknown {
  return globals[HANDLER] === undefined ? run() : globals[HANDLER](verb, frame, args, run);
}

/** The target of our proxy. It cannot be the polars frame, a proxy itself that looks up every name among its columns first. */
class Intercepted {
  /** The members of the frame without its columns. */
  readonly methods: object;

  constructor(readonly frame: Methods) {
    this.methods = targetOf(frame);
  }

  /** `inspect` calls this on the target of a proxy. */
  [inspect.custom](this: Methods, ...args: unknown[]): unknown {
    return (this[inspect.custom] as Method)(...args);
  }
}

const TARGET = Symbol("target");

/** The target of the proxy of polars. That proxy has no `defineProperty` trap, so a setter defined on it runs on its target. */
function targetOf(frame: Methods): object {
  let target: object = frame;
  Object.defineProperty(frame, TARGET, {
    configurable: true,
    set(this: object) {
      target = this;
    },
  });
  frame[TARGET] = undefined;
  return target;
}

const PASS: ProxyHandler<Intercepted> = {
  get({ frame, methods }, name, receiver: object) {
    if (name === "_df" || name === "_ldf" || name === "inner") refuseOtherCaller("frame", PASS.get as Method);
    // Members first: in polars, a column named "sort" or "height" would hide the method.
    const value = Reflect.get(typeof name === "string" && name in methods ? methods : frame, name, receiver);
    if (typeof name !== "string" || name === "constructor" || typeof value !== "function") return value;
    return (...args: unknown[]) => runVerb(name, receiver, args, () => Reflect.apply(value as Method, receiver, args));
  },
  set({ frame, methods }, name, value) {
    // polars replaces a column that exists with a series. It would store any other value on the JavaScript object and ignore it.
    const isColumn = name in frame && polarsType(value) === "Series";
    if (typeof name === "symbol" || name in methods || isColumn) return Reflect.set(frame, name, value);
    const hint = `Type frame.withColumn(series.alias(${quoted(name)})).`;
    throw faulty("property", `a frame does not change, so ${quoted(name)} cannot be set`, hint);
  },
  has: ({ frame }, name) => Reflect.has(frame, name),
  deleteProperty: ({ frame }, name) => Reflect.deleteProperty(frame, name),
  defineProperty: ({ frame }, name, descriptor) => Reflect.defineProperty(frame, name, descriptor),
  ownKeys: ({ frame }) => Reflect.ownKeys(frame),
  getOwnPropertyDescriptor: ({ frame }, name) => Reflect.getOwnPropertyDescriptor(frame, name),
};
