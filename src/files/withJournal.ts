import { toFileError } from "../fs/toFileError.js";
import { replay } from "../service/http/replay.js";
import type { Requester } from "../service/http/requester.js";
import type { Journal } from "./journal.js";

/**
 * Asks for what the journal does not have, and writes what comes into it. Answers of an earlier run count with the requests
 * that they cost then.
 *
 * @param path what is being written, for errors
 */
export function withJournal(requester: Requester, journal: Journal, path: string): Requester {
  return {
    async request(where, query, context) {
      const known = journal.find(where, query);
      if (known !== undefined) return replay(known, context, () => known);
      const response = await requester.request(where, query, context);
      try {
        journal.add(where, query, response);
      } catch (error) {
        throw toFileError(error, path);
      }
      return response;
    },
  };
}
