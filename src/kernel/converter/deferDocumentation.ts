import type { System } from "./typescript.js";

/** Declarations of packages, including TypeScript's own library files. */
const PACKAGES = /[\\/]node_modules[\\/].*\.d\.[cm]?ts$/;

/** A doc comment at the start of a line; nothing else in a declaration file looks like that. */
const COMMENT = /^[ \t]*\/\*\*(?!\/)[^*]*(?:\*(?!\/)[^*]*)*\*\//gm;

type Watch = (path: string, changed: (path: string, kind: number) => void, ...more: unknown[]) => { close(): void };

/** `FileWatcherEventKind.Changed` of TypeScript. */
const CHANGED = 1;

/**
 * Hides the doc comments in the declarations of packages from TypeScript until they are requested: they are two thirds of three
 * megabytes, all of which TypeScript would parse before the first cell.
 *
 * @returns a function that makes the documentation available to the next call
 */
export function deferDocumentation(sys: System): () => void {
  const { readFile } = sys;
  const watch = sys.watchFile as Watch;
  const deferred = new Map<string, (path: string, kind: number) => void>();
  let enabled = false;
  sys.readFile = (path, encoding) => {
    const text = readFile.call(sys, path, encoding);
    return enabled || !PACKAGES.test(path) ? text : text?.replace(COMMENT, "");
  };
  sys.watchFile = (path: string, changed: (path: string, kind: number) => void, ...more: unknown[]) => {
    if (!PACKAGES.test(path)) return watch.call(sys, path, changed, ...more);
    deferred.set(path, changed);
    return { close: () => deferred.delete(path) };
  };
  return () => {
    if (enabled) return;
    enabled = true;
    for (const [path, changed] of deferred) changed(path, CHANGED);
  };
}
