import { existsSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { packageDirectory, sharedPackages } from "../sharedPackages.js";
import type { System } from "./typescript.js";

/**
 * Makes TypeScript see packages in the `node_modules` of the notebook's directory that are not there: the kernel's own copies of
 * this package and polars, and the types of Node if the project has none.
 *
 * They must appear there because TypeScript names the type of a variable by its path from the notebook, and rejects a path
 * through the `node_modules` of another directory. A notebook inside a package, like the installed ready-made ones, finds them
 * beside that package.
 */
export function mapSharedPackages(sys: System, directory: string): void {
  const project = directory.replace(/[\\/]node_modules(?=[\\/]|$).*$/s, "");
  const modules = join(project, "node_modules");
  const mapped = new Map<string, string>();
  for (const [name, root] of sharedPackages()) mapped.set(join(modules, name), root);
  if (!isInstalled(project, "@types/node")) {
    for (const name of ["@types/node", "undici-types"]) {
      const root = packageDirectory(name);
      if (root !== undefined) mapped.set(join(modules, name), root);
    }
  }

  /** The real location of a path: the path itself if it is not mapped, undefined if it must stay invisible. */
  const toReal = (path: string): string | undefined => {
    const plain = resolve(path);
    if (!plain.startsWith(modules)) return path;
    for (const [from, to] of mapped) {
      if (!isInside(plain, from)) continue;
      const rest = plain.slice(from.length);
      if (!rest.startsWith(`${sep}node_modules`)) return to + rest;
      // Nested dependencies of a mapped package appear beside it or not at all, so that there are never two polars. At the
      // package's real location the others stay visible: TypeScript's own files are among them.
      const beside = modules + rest.slice(`${sep}node_modules`.length);
      return from === to && ![...mapped.keys()].some((at) => isInside(beside, at)) ? path : undefined;
    }
    return path;
  };
  const parents = new Set([...mapped.keys()].flatMap((path) => [dirname(path), modules]));
  const { readFile, fileExists, directoryExists, getDirectories, readDirectory, realpath } = sys;

  sys.readFile = (path, encoding) => ifVisible(toReal(path), (at) => readFile.call(sys, at, encoding), undefined);
  sys.fileExists = (path) => ifVisible(toReal(path), (at) => fileExists.call(sys, at), false);
  sys.directoryExists = (path) =>
    parents.has(resolve(path)) || ifVisible(toReal(path), (at) => directoryExists.call(sys, at), false);
  sys.readDirectory = (path, ...more) => ifVisible(toReal(path), (at) => readDirectory.call(sys, at, ...more), []);
  sys.getDirectories = (path) => {
    const found = ifVisible(toReal(path), (at) => getDirectories.call(sys, at), []);
    const here = resolve(path) + sep;
    const more = [...mapped.keys()]
      .filter((at) => at.startsWith(here))
      .map((at) => at.slice(here.length).split(sep)[0] ?? "");
    return [...new Set([...found, ...more])];
  };
  sys.realpath = (path) => (toReal(path) === path ? (realpath?.call(sys, path) ?? path) : path);
  ignorePackageChanges(sys);
}

function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory + sep);
}

/** Packages do not change while a notebook is open, and hundreds of file watchers cost time and handles. */
function ignorePackageChanges(sys: System): void {
  for (const name of ["watchFile", "watchDirectory"] as const) {
    const watch = sys[name] as ((path: string, ...more: unknown[]) => unknown) | undefined;
    if (watch === undefined) continue;
    sys[name] = (path: string, ...more: unknown[]) =>
      path.includes("/node_modules/") ? { close: () => undefined } : watch.call(sys, path, ...more);
  }
}

function ifVisible<T>(path: string | undefined, use: (path: string) => T, fallback: T): T {
  return path === undefined ? fallback : use(path);
}

/** Whether a package is installed in the directory of the notebook or in a parent directory. */
function isInstalled(directory: string, name: string): boolean {
  const parent = dirname(directory);
  if (existsSync(join(directory, "node_modules", name, "package.json"))) return true;
  return parent !== directory && isInstalled(parent, name);
}
