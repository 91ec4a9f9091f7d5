import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** By kind: its variable, and the directory below the home directory on macOS and elsewhere. */
const DIRECTORIES = {
  cache: ["XDG_CACHE_HOME", "Library/Caches", ".cache"],
  state: ["XDG_STATE_HOME", "Library/Application Support", ".local/state"],
} as const;

/** The directory of this package for files that belong to the user: `cache` for what can be had again, `state` for unfinished work. */
export function userDirectory(kind: keyof typeof DIRECTORIES, env: NodeJS.ProcessEnv = process.env): string {
  const [variable, onMac, elsewhere] = DIRECTORIES[kind];
  const configured = env[variable] ?? "";
  const isWindows = process.platform === "win32";
  const own = isWindows ? "AppData/Local" : process.platform === "darwin" ? onMac : elsewhere;
  const preset = (isWindows && env.LOCALAPPDATA) || join(homedir(), own);
  return join(isAbsolute(configured) ? configured : preset, "archive-frames");
}
