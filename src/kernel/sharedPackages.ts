import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type * as TS from "typescript";

const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");

/**
 * The packages that a notebook shares with its kernel, by name, with their directories. The notebook uses these copies even if
 * its project has others: two copies would not recognize each other's frames and errors, and polars' native part loads once.
 */
export function sharedPackages(): ReadonlyMap<string, string> {
  const polars = packageDirectory("nodejs-polars");
  return new Map([["archive-frames", ROOT], ...(polars === undefined ? [] : ([["nodejs-polars", polars]] as const))]);
}

/** The directory of a package that this package or tslab depends on; undefined if it is not installed. */
function packageDirectory(name: string): string | undefined {
  const here = createRequire(import.meta.url);
  const tslab = createRequire(here.resolve("tslab/package.json"));
  const paths = [here, tslab].flatMap(({ resolve }) => resolve.paths(name) ?? []);
  return paths.map((path) => join(path, name)).find((path) => existsSync(join(path, "package.json")));
}

/**
 * Makes TypeScript see packages in the `node_modules` of the notebook's directory that are not there: the kernel's own copies of
 * this package and polars, and the types of Node if the project has none.
 *
 * They must appear there because TypeScript names the type of a variable by its path from the notebook, and rejects a path
 * through the `node_modules` of another directory. A notebook inside a package, like the installed ready-made ones, finds them
 * beside that package.
 */
export function mapSharedPackages(sys: TS.System, directory: string): void {
  const project = directory.replace(/[\\/]node_modules(?=[\\/]|$).*$/s, "");
  const modules = join(project, "node_modules");
  const ofNode = isInstalled(project, "@types/node") ? [] : ["@types/node", "undici-types"];
  const shared = [...sharedPackages(), ...ofNode.map((name) => [name, packageDirectory(name)] as const)];
  const mapped = shared.flatMap(([name, root]) =>
    root === undefined ? [] : [{ from: join(modules, name), to: root }],
  );

  /** The real location of a path: the path itself if it is not mapped, undefined if it must stay invisible. */
  const toReal = (path: string): string | undefined => {
    const plain = resolve(path);
    const { from, to } = mapped.find(({ from }) => isInside(plain, from)) ?? {};
    if (from === undefined || to === undefined) return path;
    const rest = plain.slice(from.length);
    if (!rest.startsWith(`${sep}node_modules`)) return to + rest;
    // Nested dependencies of a mapped package appear beside it or not at all, so that there are never two polars. At the
    // package's real location the others stay visible: TypeScript's own files are among them.
    const beside = modules + rest.slice(`${sep}node_modules`.length);
    return from === to && !mapped.some((other) => isInside(beside, other.from)) ? path : undefined;
  };
  /** Applies a function of the file system to the real location of its path. */
  const moved =
    <A extends unknown[], R>(read: (path: string, ...more: A) => R, missing: R) =>
    (path: string, ...more: A): R => {
      const real = toReal(path);
      return real === undefined ? missing : read.call(sys, real, ...more);
    };
  const { realpath, watchFile, watchDirectory } = sys;
  const directoryExists = moved(sys.directoryExists, false);
  const getDirectories = moved(sys.getDirectories, []);
  const parents = new Set(mapped.flatMap(({ from }) => [dirname(from), modules]));
  sys.readFile = moved(sys.readFile, undefined);
  sys.fileExists = moved(sys.fileExists, false);
  sys.readDirectory = moved(sys.readDirectory, []);
  sys.directoryExists = (path) => parents.has(resolve(path)) || directoryExists(path);
  sys.getDirectories = (path) => {
    const here = resolve(path) + sep;
    const inside = mapped.filter(({ from }) => from.startsWith(here)).map(({ from }) => from.slice(here.length));
    return [...new Set([...getDirectories(path), ...inside.map((rest) => rest.split(sep)[0] ?? "")])];
  };
  sys.realpath = (path) => (toReal(path) === path ? (realpath?.call(sys, path) ?? path) : path);
  // Packages do not change while a notebook is open, and hundreds of file watchers cost time and handles.
  const unlessPackage = <W extends (path: string, ...more: never[]) => object>(watch: W | undefined) =>
    watch &&
    (((path, ...more) => (path.includes("/node_modules/") ? { close() {} } : watch.call(sys, path, ...more))) as W);
  Object.assign(sys, { watchFile: unlessPackage(watchFile), watchDirectory: unlessPackage(watchDirectory) });
}

function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory + sep);
}

function isInstalled(directory: string, name: string): boolean {
  const parent = dirname(directory);
  if (existsSync(join(directory, "node_modules", name, "package.json"))) return true;
  return parent !== directory && isInstalled(parent, name);
}
