import { existsSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { ownPackages, packageFolder } from "../ownPackages.js";

/** What is mapped of TypeScript's view of the file system. */
export interface System {
  readFile(path: string, encoding?: string): string | undefined;
  fileExists(path: string): boolean;
  directoryExists(path: string): boolean;
  getDirectories(path: string): string[];
  readDirectory(path: string, ...more: never[]): string[];
  realpath?(path: string): string;
  watchFile?: unknown;
  watchDirectory?: unknown;
}

/**
 * Lets TypeScript find packages in `node_modules` of the notebook's folder that are not there: this package and polars,
 * which are always the kernel's own copies, and the types of Node where the project has none.
 *
 * They are shown there, not where they are, because TypeScript names the type of a variable by the path from the notebook,
 * and refuses one that leads through another folder's `node_modules`. A notebook that lies in a package, as ours do where they
 * are installed, finds them beside that package.
 */
export function mapOwnFiles(sys: System, folder: string): void {
  const project = folder.replace(/[\\/]node_modules(?=[\\/]|$).*$/s, "");
  const modules = join(project, "node_modules");
  const shown = new Map<string, string>();
  for (const [name, root] of ownPackages()) shown.set(join(modules, name), root);
  if (!inProject(project, "@types/node")) {
    for (const name of ["@types/node", "undici-types"]) {
      const root = packageFolder(name);
      if (root !== undefined) shown.set(join(modules, name), root);
    }
  }

  /** Where a shown path really is: itself when it is not shown, undefined when it must not be seen. */
  const real = (path: string): string | undefined => {
    const plain = resolve(path);
    if (!plain.startsWith(modules)) return path;
    for (const [from, to] of shown) {
      if (!isAt(plain, from)) continue;
      const rest = plain.slice(from.length);
      if (!rest.startsWith(`${sep}node_modules`)) return to + rest;
      // What a package has installed below itself is shown beside it, or not at all: never two polars. Where the package is
      // shown at its own place, the rest stays: TypeScript's own files are there.
      const beside = modules + rest.slice(`${sep}node_modules`.length);
      return from === to && ![...shown.keys()].some((at) => isAt(beside, at)) ? path : undefined;
    }
    return path;
  };
  const parents = new Set([...shown.keys()].flatMap((path) => [dirname(path), modules]));
  const { readFile, fileExists, directoryExists, getDirectories, readDirectory, realpath } = sys;

  sys.readFile = (path, encoding) => on(real(path), (at) => readFile.call(sys, at, encoding), undefined);
  sys.fileExists = (path) => on(real(path), (at) => fileExists.call(sys, at), false);
  sys.directoryExists = (path) =>
    parents.has(resolve(path)) || on(real(path), (at) => directoryExists.call(sys, at), false);
  sys.readDirectory = (path, ...more) => on(real(path), (at) => readDirectory.call(sys, at, ...more), []);
  sys.getDirectories = (path) => {
    const found = on(real(path), (at) => getDirectories.call(sys, at), []);
    const here = resolve(path) + sep;
    const more = [...shown.keys()]
      .filter((at) => at.startsWith(here))
      .map((at) => at.slice(here.length).split(sep)[0] ?? "");
    return [...new Set([...found, ...more])];
  };
  sys.realpath = (path) => (real(path) === path ? (realpath?.call(sys, path) ?? path) : path);
  watchNoPackages(sys);
}

function isAt(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

/** Packages do not change while a notebook is open, and hundreds of watched files take time and handles. */
function watchNoPackages(sys: System): void {
  for (const name of ["watchFile", "watchDirectory"] as const) {
    const watch = sys[name] as ((path: string, ...more: unknown[]) => unknown) | undefined;
    if (watch === undefined) continue;
    sys[name] = (path: string, ...more: unknown[]) =>
      path.includes("/node_modules/") ? { close: () => undefined } : watch.call(sys, path, ...more);
  }
}

function on<T>(path: string | undefined, use: (path: string) => T, otherwise: T): T {
  return path === undefined ? otherwise : use(path);
}

/** Whether a project has a package, in the folder of the notebook or in one above it. */
function inProject(folder: string, name: string): boolean {
  const above = dirname(folder);
  if (existsSync(join(folder, "node_modules", name, "package.json"))) return true;
  return above !== folder && inProject(above, name);
}
