import { ArchiveError } from "../../errors/index.js";

/** The error for a call that the closing of its client ended, or that came after it. */
export function clientClosed(path: string): ArchiveError {
  const hint = "Make a new client, and close it after the last call.";
  return new ArchiveError(`GET ${path} was not answered: the client is closed.`, { code: "CLIENT_CLOSED", hint });
}
