import { toFileError } from "../fs/toFileError.js";
import { replay } from "../service/http/replay.js";
import type { Requester } from "../service/http/requester.js";
import type { Journal } from "./journal.js";

/**
 * Replays responses from a journal, and records new ones in it. A replayed response counts the requests that it cost when it
 * was recorded.
 *
 * @param path the target, for errors
 */
export function withJournal(requester: Requester, journal: Journal, path: string): Requester {
  return {
    async request(requestPath, query, context) {
      const recorded = journal.find(requestPath, query);
      if (recorded !== undefined) return replay(recorded, context, () => recorded);
      const response = await requester.request(requestPath, query, context);
      try {
        journal.add(requestPath, query, response);
      } catch (error) {
        throw toFileError(error, path);
      }
      return response;
    },
  };
}
