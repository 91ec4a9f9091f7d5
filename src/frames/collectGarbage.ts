import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Collect = (options?: { type: "minor" }) => void;

let collect: Collect | undefined;

/**
 * Lets V8 free what is not used any more. It does not know of the memory of polars frames, so in a long row of them it
 * would wait until hundreds of megabytes lie about. Takes some milliseconds; does nothing where it is not to be had.
 */
export function collectGarbage(): void {
  collector()();
}

/**
 * Frees what was used for a moment only, in less than a millisecond. V8 would let the bodies of pages grow old first: tens of
 * megabytes of them lie about then, and it takes a whole collection, which V8 runs again and again, to free them.
 */
export function collectYoung(): void {
  collector()({ type: "minor" });
}

function collector(): Collect {
  collect ??= (globalThis as { gc?: Collect }).gc ?? exposed();
  return collect;
}

function exposed(): Collect {
  try {
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc") as Collect;
    setFlagsFromString("--no-expose-gc");
    return gc;
  } catch {
    return () => undefined;
  }
}
