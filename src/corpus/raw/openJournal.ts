import { FileError } from "../../errors/index.js";
import { Journal, type Search } from "../../responses/journal.js";

/** Opens the journal of exactly this request. One of another request starts over. The age does not matter: a quota may last a day. */
export function openJournal(path: string, asked: Search): Journal {
  try {
    return new Journal(path, asked, true);
  } catch (error) {
    if (!(error instanceof FileError && error.code === "OTHER_SEARCH")) throw error;
    return new Journal(path, asked, false);
  }
}
