import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** The folder for unfinished work that has no place next to its target: `archive-frames` in the state folder of the user. */
export function stateDirectory(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_STATE_HOME: given = "" } = env;
  return join(isAbsolute(given) ? given : userState(env), "archive-frames");
}

function userState(env: NodeJS.ProcessEnv): string {
  if (process.platform === "win32") return env.LOCALAPPDATA || join(homedir(), "AppData", "Local");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support");
  return join(homedir(), ".local", "state");
}
