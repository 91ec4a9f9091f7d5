import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { VERSION } from "../../util/version.js";
import { dataDirectory, type Place, searchedDirectories } from "./dataDirectories.js";
import { findSpec, KERNEL_NAME, specName } from "./kernelSpec.js";
import { currentPlatform, type Platform } from "./platform.js";

/** Options of {@link specStatus}. */
export interface StatusOptions extends Place {
  /** Default `"archive-frames"`. */
  name?: string | undefined;
}

/** How it stands with the kernelspec. */
export interface SpecStatus {
  /** Whether the kernel can be used as it is. */
  readonly ok: boolean;
  /** The `kernel.json` that Jupyter takes; undefined when there is none. */
  readonly path: string | undefined;
  /** The version of this package that wrote it. */
  readonly version: string | undefined;
  /** What is wrong, and what to type; empty when it is ok. */
  readonly faults: readonly string[];
  /** Further specs of the same name, which Jupyter does not take. */
  readonly hidden: readonly string[];
}

/**
 * Looks where Jupyter would look, or in the place that is given: is the kernelspec there, is it ours and of this version, and do
 * the paths in it exist.
 */
export function specStatus(options: StatusOptions = {}, around: Platform = currentPlatform()): SpecStatus {
  const { name = KERNEL_NAME, ...place } = options;
  specName(name);
  const given = place.user === true || place.prefix !== undefined || place.sysPrefix === true;
  const folders = given ? [dataDirectory(place, around)] : searchedDirectories(around);
  const [found, ...others] = folders.flatMap((folder) => findSpec(folder, name) ?? []);
  const again = install(options);
  const hidden = others.map(({ path }) => path);
  const status = (version: string | undefined, faults: string[]): SpecStatus => ({
    ok: faults.length === 0,
    path: found?.path,
    version,
    faults,
    hidden,
  });
  if (found === undefined) return status(undefined, [`Jupyter does not know the kernel. Type: ${again}`]);
  if (found.kind === "foreign") {
    return status(undefined, [`${found.path} is not of this package. Type: ${again} --name <another name>`]);
  }
  const { argv, metadata } = found.spec;
  const { version } = metadata["archive-frames"];
  const [node = "", entry = ""] = argv;
  const faults = [
    ...(existsSync(node) ? [] : [`It starts Node at ${node}, which is not there any more. Type: ${again}`]),
    ...(existsSync(entry) ? [] : [`It starts the kernel at ${entry}, which is not there any more. Type: ${again}`]),
    ...(version === VERSION ? [] : [`Version ${version} wrote it, this is ${VERSION}. Type: ${again}`]),
  ];
  if (faults.length === 0 && resolve(entry) !== resolve(around.entry)) {
    faults.push(`It starts another copy of this package, ${entry}. If this one is meant, type: ${again}`);
  }
  return status(version, faults);
}

/** What to type to have the kernelspec where it was looked for. */
function install({ name, prefix, sysPrefix }: StatusOptions): string {
  const place =
    prefix !== undefined ? ` --prefix ${JSON.stringify(prefix)}` : sysPrefix === true ? " --sys-prefix" : "";
  return `npx archive-frames kernel install${place}${name === undefined || name === KERNEL_NAME ? "" : ` --name ${name}`}`;
}
