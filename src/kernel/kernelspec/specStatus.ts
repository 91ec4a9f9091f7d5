import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { VERSION } from "../../util/version.js";
import {
  currentPlatform,
  dataDirectory,
  type Platform,
  type SpecLocation,
  searchedDirectories,
} from "./dataDirectories.js";
import { findSpec, KERNEL_NAME, specName } from "./kernelSpec.js";

/** The state of the kernelspec. */
export interface SpecStatus {
  /** Whether the kernel is ready to use. */
  readonly ok: boolean;
  /** The `kernel.json` that Jupyter uses; undefined if there is none. */
  readonly path: string | undefined;
  /** The version of this package that wrote it. */
  readonly version: string | undefined;
  /** What is wrong and what to type; empty if `ok`. */
  readonly problems: readonly string[];
  /** Further kernelspecs of the same name, which Jupyter does not use. */
  readonly shadowed: readonly string[];
}

/**
 * Checks the kernelspec where Jupyter looks for it, or at one location: whether it exists, was written by this version of this
 * package, and points to existing files.
 */
export function specStatus(options: SpecLocation = {}, platform: Platform = currentPlatform()): SpecStatus {
  const { name = KERNEL_NAME, user, prefix, sysPrefix } = options;
  specName(name);
  const given = user === true || prefix !== undefined || sysPrefix === true;
  const directories = given ? [dataDirectory(options, platform)] : searchedDirectories(platform);
  const [found, ...others] = directories.flatMap((directory) => findSpec(directory, name) ?? []);
  const command = installCommand(options);
  const shadowed = others.map(({ path }) => path);
  const status = (version: string | undefined, problems: string[]): SpecStatus => ({
    ok: problems.length === 0,
    path: found?.path,
    version,
    problems,
    shadowed,
  });
  if (found === undefined) return status(undefined, [`The kernel is not installed. Type: ${command}`]);
  if (found.kind === "foreign") {
    return status(undefined, [
      `${found.path} was not written by archive-frames. Type: ${command} --name <another name>`,
    ]);
  }
  const { argv, metadata } = found.spec;
  const { version } = metadata["archive-frames"];
  const [node = "", entry = ""] = argv;
  const problems = [
    ...(existsSync(node) ? [] : [`It starts Node at ${node}, which no longer exists. Type: ${command}`]),
    ...(existsSync(entry) ? [] : [`It starts the kernel at ${entry}, which no longer exists. Type: ${command}`]),
    ...(version === VERSION ? [] : [`It was written by version ${version}, this is ${VERSION}. Type: ${command}`]),
  ];
  if (problems.length === 0 && resolve(entry) !== resolve(platform.entry)) {
    problems.push(`It starts another copy of archive-frames, ${entry}. To use this copy, type: ${command}`);
  }
  return status(version, problems);
}

/** The command that installs the kernelspec at the checked location. */
function installCommand({ name, prefix, sysPrefix }: SpecLocation): string {
  const location =
    prefix !== undefined ? ` --prefix ${JSON.stringify(prefix)}` : sysPrefix === true ? " --sys-prefix" : "";
  return `npx archive-frames kernel install${location}${name === undefined || name === KERNEL_NAME ? "" : ` --name ${name}`}`;
}
