import type { Core } from "../calls/core.js";
import { operations } from "../service/operations/operations.js";
import { buildRequest } from "../service/operations/request.js";
import { declaredShape } from "../service/pages/rowShape.js";
import { walk } from "../service/pages/walk.js";
import type { Finding } from "./findSpeeches.js";
import type { Ledger } from "./ledger.js";
import { type People, personOf } from "./people.js";
import { readRows } from "./readRows.js";

/** Titles by which the archive lists people: those of nearly everybody who speaks on a bill. */
const LISTS = ['"U.S. Senator"', '"U.S. Representative"'];
/** Fewer speakers than this are looked up at once. */
const FEWEST = 40;
/** A list is left when its last requests have brought so many fewer speakers than they cost, or it takes too long. */
const PATIENCE = 3;
const SERVICE_PAGE = 20;
const SHAPE = declaredShape(operations.people.columns);

/**
 * Reads lists of people for speakers whose title is not known: a page of a list tells the titles of several for one
 * request, a look-up that of one. It only ever saves requests: nobody is taken for missing because a list did not have
 * them, and what the lists can lose at worst is less than larger pages of mentions have saved already.
 *
 * @param wanted ids of the speakers
 */
export async function readPeopleLists(
  core: Core,
  people: People,
  wanted: ReadonlySet<string>,
  findings: readonly Finding[],
  ledger: Ledger,
  signal: AbortSignal,
): Promise<void> {
  if (wanted.size < FEWEST || savedRequests(findings) < LISTS.length * PATIENCE) return;
  const missing = new Set(wanted);
  await Promise.all(LISTS.map((query) => readList(core, query, people, missing, ledger, signal)));
}

/** Requests that pages of the service's own size would have taken beyond those that were sent. */
function savedRequests(findings: readonly Finding[]): number {
  return findings.reduce((sum, { account: { rows, duplicates, requests } }) => {
    return sum + Math.max(0, Math.ceil((rows + duplicates) / SERVICE_PAGE) - requests);
  }, 0);
}

async function readList(
  core: Core,
  query: string,
  people: People,
  missing: Set<string>,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<void> {
  const { asker, redact, output } = core;
  const request = buildRequest("people", { query });
  const account = ledger.open(request);
  const bounds = { maxItems: undefined, maxPages: undefined, pageSize: output.pageSize, ahead: 0 };
  const longest = missing.size / (4 * core.concurrency);
  let found = 0;
  let best = 0;
  let first = 0;
  try {
    for await (const page of walk(request, {
      asker,
      account,
      redact,
      shape: () => SHAPE,
      signals: [signal],
      ...bounds,
    })) {
      ledger.page();
      for (const row of readRows(page, request.path, redact, false)) {
        const person = personOf(row);
        const id = String(row.id);
        // Without a title it is no better than not listed.
        if (person.title === "") continue;
        people.learn(id, person);
        if (missing.delete(id)) found++;
      }
      best = Math.max(best, found - account.requests);
      first ||= page.ids.length;
      // A page that is not full is the last one: the service says so only by a further, empty one.
      if (missing.size === 0 || page.ids.length < first) return;
      const pays = found - account.requests > best - PATIENCE;
      // Pages come one after another, look-ups several at once: what a list spares in requests it may cost in time.
      if (!pays || account.requests - found / core.concurrency > longest) return;
    }
  } catch (error) {
    // Whoever is not listed is looked up. An abort is an abort.
    if (signal.aborted) throw error;
  }
}
