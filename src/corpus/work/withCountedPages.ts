import type { Journal } from "../../responses/journal.js";
import { withJournal } from "../../responses/journal.js";
import type { Requester } from "../../service/http/requester.js";
import type { ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";

/**
 * Replays the responses of a journal to a pagination that follows the cursor page by page, also those that a count has requested by number.
 * If rows have moved since, the first page after those of the count repeats rows: then the others are requested again.
 *
 * @param path the target, for errors
 */
export function withCountedPages(
  requester: Requester,
  journal: Journal,
  recorder: ProvenanceRecorder,
  path: string,
): Requester {
  const journaled = withJournal(requester, journal, path);
  let number = 1;
  return {
    request(requestPath, query, context) {
      const values = new Map(query);
      const [cursor, limit] = [values.get("cursor"), values.get("limit")];
      if (cursor === undefined) return journaled.request(requestPath, query, context);
      number++;
      if (limit === undefined || journal.find(requestPath, query) !== undefined || recorder.duplicates > 0)
        return journaled.request(requestPath, query, context);
      const base = query.filter(([name]) => name !== "cursor" && name !== "limit");
      const counted = [
        [...base, ["limit", limit], ["cursor", cursor]],
        [...base, ["limit", limit], ["page", String(number)]],
      ] as const satisfies ReadonlyArray<typeof query>;
      const known = counted.find((one) => journal.find(requestPath, one) !== undefined);
      return journaled.request(requestPath, known ?? query, context);
    },
  };
}
