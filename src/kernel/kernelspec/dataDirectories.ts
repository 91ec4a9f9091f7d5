import { homedir } from "node:os";
import { posix, resolve, win32 } from "node:path";
import { fileURLToPath } from "node:url";
import { invalid } from "../../errors/validators.js";

/** Decides where Jupyter looks for kernels and how a kernel is started; tests pass their own. */
export interface Platform {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Home directory of the user. */
  readonly home: string;
  /** Absolute path of Node. */
  readonly node: string;
  /** Absolute path of the file that runs the kernel. */
  readonly entry: string;
}

/** The platform of this process. */
export function currentPlatform(): Platform {
  const entry = fileURLToPath(new URL("../main.js", import.meta.url));
  return { env: process.env, platform: process.platform, home: homedir(), node: process.execPath, entry };
}

/** Name and location of a kernelspec. Give at most one location. */
export interface SpecLocation {
  /** Name of the kernel in Jupyter. Default: `"archive-frames"`. */
  name?: string | undefined;
  /** The Jupyter data directory of the user: the default. */
  user?: boolean | undefined;
  /** Below `<prefix>/share/jupyter`. */
  prefix?: string | undefined;
  /** In the active virtual environment, of Python or conda. */
  sysPrefix?: boolean | undefined;
}

/**
 * The directory in which Jupyter finds `kernels`, for one location.
 *
 * @throws ValidationError for more than one location, and for `sysPrefix` without an active environment
 */
export function dataDirectory({ user, prefix, sysPrefix }: SpecLocation, platform: Platform): string {
  const given = [
    user === true ? "--user" : undefined,
    prefix === undefined ? undefined : "--prefix",
    sysPrefix === true ? "--sys-prefix" : undefined,
  ].filter((flag) => flag !== undefined);
  if (given.length > 1) {
    throw invalid("location", given.join(" "), "Give only one of --user, --prefix <dir> and --sys-prefix.");
  }
  if (prefix !== undefined) return shareDirectory(resolve(prefix), platform);
  if (sysPrefix !== true) return userDirectory(platform);
  const environment = activeEnvironment(platform);
  if (environment !== undefined) return shareDirectory(environment, platform);
  const hint = "Neither VIRTUAL_ENV nor CONDA_PREFIX is set: activate an environment, or give --prefix <dir>.";
  throw invalid("location", "--sys-prefix", hint);
}

/** Every directory in which Jupyter looks for `kernels`; the first match wins. */
export function searchedDirectories(current: Platform): string[] {
  const { env, platform } = current;
  const { join, delimiter } = pathsOf(current);
  const given = env.JUPYTER_PATH?.split(delimiter).filter((path) => path !== "") ?? [];
  const environment = activeEnvironment(current);
  const system =
    platform === "win32"
      ? [join(env.PROGRAMDATA ?? "C:\\ProgramData", "jupyter")]
      : ["/usr/local/share/jupyter", "/usr/share/jupyter"];
  const own = [userDirectory(current), ...(environment === undefined ? [] : [shareDirectory(environment, current)])];
  return [...new Set([...given, ...(isSet(env.JUPYTER_PREFER_ENV_PATH) ? own.reverse() : own), ...system])];
}

function userDirectory(current: Platform): string {
  const { env, platform, home } = current;
  const { join } = pathsOf(current);
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

function shareDirectory(prefix: string, platform: Platform): string {
  return pathsOf(platform).join(prefix, "share", "jupyter");
}

function pathsOf({ platform }: Platform): typeof posix {
  return platform === "win32" ? win32 : posix;
}

/** Parses a boolean environment variable as Jupyter does. */
function isSet(value: string | undefined): boolean {
  return !["no", "n", "false", "off", "0", "0.0", ""].includes((value ?? "no").toLowerCase());
}
