import { fileFault } from "../disk/fileFault.js";
import type { Asker } from "../service/http/asker.js";
import { recorded } from "../service/http/recorded.js";
import type { Journal } from "./journal.js";

/**
 * Asks for what the journal does not have, and writes what comes into it. Answers of an earlier run count with the requests
 * that they cost then.
 *
 * @param path what is being written, for errors
 */
export function journaled(asker: Asker, journal: Journal, path: string): Asker {
  return {
    async ask(where, query, context) {
      const known = journal.find(where, query);
      if (known !== undefined) return recorded(known, context, () => known);
      const reply = await asker.ask(where, query, context);
      try {
        journal.add(where, query, reply);
      } catch (error) {
        throw fileFault(error, path);
      }
      return reply;
    },
  };
}
