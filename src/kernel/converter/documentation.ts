import type { System } from "./ownFiles.js";

/** The declarations of packages, TypeScript's own for JavaScript among them. */
const PACKAGES = /[\\/]node_modules[\\/].*\.d\.[cm]?ts$/;

/** One that begins its line, which no other text of a declaration file looks like. */
const COMMENT = /^[ \t]*\/\*\*(?!\/)[^*]*(?:\*(?!\/)[^*]*)*\*\//gm;

type Watch = (path: string, changed: (path: string, kind: number) => void, ...more: unknown[]) => { close(): void };

/** How TypeScript says that a file has another content. */
const CHANGED = 1;

/**
 * Keeps the documentation in the declarations of packages from TypeScript until somebody asks for it: two thirds of three
 * megabytes are documentation, and TypeScript would parse all of it before the first cell.
 *
 * @returns lets TypeScript read it, from the next call on
 */
export function withholdDocumentation(sys: System): () => void {
  const { readFile } = sys;
  const watch = sys.watchFile as Watch;
  const withheld = new Map<string, (path: string, kind: number) => void>();
  let reading = false;
  sys.readFile = (path, encoding) => {
    const text = readFile.call(sys, path, encoding);
    return reading || !PACKAGES.test(path) ? text : text?.replace(COMMENT, "");
  };
  sys.watchFile = (path: string, changed: (path: string, kind: number) => void, ...more: unknown[]) => {
    if (!PACKAGES.test(path)) return watch.call(sys, path, changed, ...more);
    withheld.set(path, changed);
    return { close: () => withheld.delete(path) };
  };
  return () => {
    if (reading) return;
    reading = true;
    for (const [path, changed] of withheld) changed(path, CHANGED);
  };
}
