import { posix, resolve, win32 } from "node:path";
import { invalid } from "../../errors/validators.js";
import type { Platform } from "./platform.js";

/** Where a kernelspec is to go. Without any of them: to the user's own folder. */
export interface Place {
  /** The user's own folder: the default. */
  user?: boolean | undefined;
  /** A folder that has `share/jupyter` in it, or is to have. */
  prefix?: string | undefined;
  /** The active virtual environment, of Python or of conda. */
  sysPrefix?: boolean | undefined;
}

/**
 * The folder in which Jupyter finds `kernels`, for one place.
 *
 * @throws ValidationError for two places at once, and for `sysPrefix` without an environment
 */
export function dataDirectory({ user, prefix, sysPrefix }: Place, around: Platform): string {
  const given = [user === true, prefix !== undefined, sysPrefix === true].filter(Boolean);
  if (given.length > 1) {
    throw invalid("place", { user, prefix, sysPrefix }, "Give one of --user, --prefix <folder> and --sys-prefix.");
  }
  if (prefix !== undefined) return share(resolve(prefix), around);
  if (sysPrefix !== true) return userFolder(around);
  const environment = activeEnvironment(around);
  if (environment !== undefined) return share(environment, around);
  const hint = "Neither VIRTUAL_ENV nor CONDA_PREFIX is set: activate an environment, or give --prefix <folder>.";
  throw invalid("place", "--sys-prefix", hint);
}

/** Every folder in which Jupyter may find `kernels`, the first one wins. */
export function searchedDirectories(around: Platform): string[] {
  const { env, platform } = around;
  const { join, delimiter } = pathsOf(around);
  const given = env.JUPYTER_PATH?.split(delimiter).filter((path) => path !== "") ?? [];
  const environment = activeEnvironment(around);
  const system =
    platform === "win32"
      ? [join(env.PROGRAMDATA ?? "C:\\ProgramData", "jupyter")]
      : ["/usr/local/share/jupyter", "/usr/share/jupyter"];
  const own = [userFolder(around), ...(environment === undefined ? [] : [share(environment, around)])];
  return [...new Set([...given, ...(isSet(env.JUPYTER_PREFER_ENV_PATH) ? own.reverse() : own), ...system])];
}

function userFolder(around: Platform): string {
  const { env, platform, home } = around;
  const { join } = pathsOf(around);
  if (env.JUPYTER_DATA_DIR) return env.JUPYTER_DATA_DIR;
  const platformDirs = isSet(env.JUPYTER_PLATFORM_DIRS);
  if (platform === "darwin") {
    return platformDirs ? join(home, "Library", "Application Support", "jupyter") : join(home, "Library", "Jupyter");
  }
  if (platform === "win32") {
    if (platformDirs) return join(env.LOCALAPPDATA ?? join(home, "AppData", "Local"), "jupyter");
    if (env.APPDATA) return join(env.APPDATA, "jupyter");
    return join(env.JUPYTER_CONFIG_DIR || join(home, ".jupyter"), "data");
  }
  return join(env.XDG_DATA_HOME || join(home, ".local", "share"), "jupyter");
}

function activeEnvironment({ env }: Platform): string | undefined {
  return env.VIRTUAL_ENV || env.CONDA_PREFIX || undefined;
}

function share(prefix: string, around: Platform): string {
  return pathsOf(around).join(prefix, "share", "jupyter");
}

function pathsOf({ platform }: Platform): typeof posix {
  return platform === "win32" ? win32 : posix;
}

/** As Jupyter reads a switch in the environment. */
function isSet(value: string | undefined): boolean {
  return !["no", "n", "false", "off", "0", "0.0", ""].includes((value ?? "no").toLowerCase());
}
