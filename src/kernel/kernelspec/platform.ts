import { homedir } from "node:os";
import { fileURLToPath } from "node:url";

/** What decides where Jupyter looks and how a kernel is started; tests bring their own. */
export interface Platform {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** Absolute path of Node. */
  readonly node: string;
  /** Absolute path of the file that runs the kernel. */
  readonly entry: string;
}

/** Those of this process. */
export function currentPlatform(): Platform {
  const entry = fileURLToPath(new URL("../main.js", import.meta.url));
  return { env: process.env, platform: process.platform, home: homedir(), node: process.execPath, entry };
}
