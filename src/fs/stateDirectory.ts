import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** The directory for unfinished work that cannot be next to its target: `archive-frames` in the user's state directory. */
export function stateDirectory(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_STATE_HOME: configured = "" } = env;
  return join(isAbsolute(configured) ? configured : userState(env), "archive-frames");
}

function userState(env: NodeJS.ProcessEnv): string {
  if (process.platform === "win32") return env.LOCALAPPDATA || join(homedir(), "AppData", "Local");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support");
  return join(homedir(), ".local", "state");
}
