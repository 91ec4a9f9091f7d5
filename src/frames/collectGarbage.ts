import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/**
 * Lets V8 free what is not used any more. It does not know of the memory of polars frames, so in a long row of them it
 * would wait until hundreds of megabytes lie about. Takes some milliseconds; does nothing where it is not to be had.
 */
export function collectGarbage(): void {
  collect ??= (globalThis as { gc?: () => void }).gc ?? exposed();
  collect();
}

function exposed(): () => void {
  try {
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc") as () => void;
    setFlagsFromString("--no-expose-gc");
    return gc;
  } catch {
    return () => undefined;
  }
}
