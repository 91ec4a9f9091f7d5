import { openSync } from "node:fs";
import { openRegularFile } from "./receivedFile.js";

/**
 * Opens a private file for reading and writing; a new one gets mode 0600. An existing one must be a regular file, not a link.
 * @param how "create": it must not exist; "existing": it must exist; "either"
 */
export function openPrivateFile(path: string, how: "create" | "existing" | "either"): number {
  if (how === "existing") return openRegularFile(path, "r+");
  try {
    return openSync(path, "wx+", 0o600);
  } catch (error) {
    if (how === "create" || (error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return openRegularFile(path, "r+");
  }
}
