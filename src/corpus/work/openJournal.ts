import { FileError } from "../../errors/index.js";
import { Journal, type Search } from "../../responses/journal.js";

/**
 * Opens the journal of a unit. One that was written with other settings, such as another page size, starts over: its pages do not
 * continue this pagination. The age does not matter: a quota may last a day.
 */
export function openJournal(path: string, search: Search): Journal {
  try {
    return new Journal(path, search, true);
  } catch (error) {
    if (!(error instanceof FileError && error.code === "OTHER_SEARCH")) throw error;
    return new Journal(path, search, false);
  }
}
