import { inspect } from "node:util";
import { refuseOtherCaller } from "./otherPolars.js";

// All code that sees the methods of polars' frames. Every frame, of whatever origin, comes from one of two functions, which polars calls
// through its exports.

type Method = (...args: unknown[]) => unknown;
type Methods = Record<string | symbol, unknown>;

/** Runs a method of a frame. A handler may check its arguments first, and look at what it returns. */
export type VerbHandler = (verb: string, frame: object | undefined, args: unknown[], run: () => unknown) => unknown;

/** Several copies of this package may share one polars: the handler is that of the first one. */
const HANDLER = Symbol.for("archive-frames.verbs");
const shared = globalThis as { [HANDLER]?: VerbHandler };

/** Lets a handler run the methods of all frames and lazy frames, and `pl.concat`. */
export function handleVerbs(handle: VerbHandler): void {
  shared[HANDLER] ??= handle;
}

/** Makes the frames of polars pass their methods to the handler. */
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
        handled("concat", undefined, args, () => concat(...args)),
  );
  polars.concat = functions.concat;
}

function replace(exports: Record<string, Method>, name: string, wrap: (method: Method) => Method): boolean {
  const method = exports[name] as Method;
  if (HANDLER in method) return false;
  exports[name] = Object.assign(wrap(method), { [HANDLER]: true });
  return true;
}

function handled(verb: string, frame: object | undefined, args: unknown[], run: () => unknown): unknown {
  return shared[HANDLER] === undefined ? run() : shared[HANDLER](verb, frame, args, run);
}

/**
 * The target of the proxy of a frame: a frame of polars is a proxy itself, which looks up every name among its columns first, and cannot be
 * the target of another one.
 */
class Intercepted {
  /** The members of the frame, whatever its columns are called. */
  readonly methods: object;

  constructor(readonly frame: Methods) {
    this.methods = targetOf(frame);
  }

  /** Node prints the target of a proxy. */
  [inspect.custom](this: Methods, ...args: unknown[]): unknown {
    return (this[inspect.custom] as Method)(...args);
  }
}

const TARGET = Symbol("target");

/** The target of polars' own proxy, which has no trap for defining a property: a setter that is called on the target. */
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
    // polars finds a column first, so that one called "sort" or "height" would make the frame unusable.
    const value = Reflect.get(typeof name === "string" && name in methods ? methods : frame, name, receiver);
    if (typeof name !== "string" || name === "constructor" || typeof value !== "function") return value;
    return (...args: unknown[]) => handled(name, receiver, args, () => Reflect.apply(value as Method, receiver, args));
  },
  set: ({ frame }, name, value) => Reflect.set(frame, name, value),
  has: ({ frame }, name) => Reflect.has(frame, name),
  deleteProperty: ({ frame }, name) => Reflect.deleteProperty(frame, name),
  defineProperty: ({ frame }, name, descriptor) => Reflect.defineProperty(frame, name, descriptor),
  ownKeys: ({ frame }) => Reflect.ownKeys(frame),
  getOwnPropertyDescriptor: ({ frame }, name) => Reflect.getOwnPropertyDescriptor(frame, name),
};
