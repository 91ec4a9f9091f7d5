import type { ArchiveClientOptions, Engine, Format } from "../../src/index.js";
import { mention, queryOf, served } from "../client/clientTo.js";
import {
  type ScriptedAnswer,
  type ScriptedServer,
  type SeenRequest,
  startScriptedServer,
} from "../service/scriptedServer.js";

/** The contents of a small archive. */
export interface SpeechServerOptions {
  /** The mentions that a query finds in a video type; none by default. */
  readonly found?: (query: string, videotype: string) => readonly object[];
  /** Person records by id. All other ids are unknown. */
  readonly people?: Readonly<Record<string, object>>;
  /** Replaces a response; undefined for the usual one. */
  readonly instead?: (
    request: SeenRequest,
    index: number,
  ) => ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined>;
}

/** An archive of a few speeches and people, with pages, cursors and limits like those of the service. */
export function startSpeechServer({
  found = () => [],
  people = {},
  instead,
}: SpeechServerOptions): Promise<ScriptedServer> {
  return startScriptedServer(async (request, index) => {
    const answer = await instead?.(request, index);
    if (answer !== undefined) return answer;
    const { query = "", videotype = "", cursor = "c0", limit = "20" } = queryOf(request);
    const path = pathOf(request);
    if (path.startsWith("/people/")) {
      const person = people[path.slice(8)];
      return { body: person === undefined ? {} : { people: [person] } };
    }
    const rows = ofType(found, query, videotype)
      .slice(Number(cursor.slice(1)))
      .slice(0, Number(limit));
    const end = Number(cursor.slice(1)) + rows.length;
    return { body: rows.length === 0 ? { cursor: `c${end}` } : { cursor: `c${end}`, mentions: rows } };
  });
}

/** Such an archive and a client of it, with these options; both are there until the test ends. */
export function speechArchive<F extends Format = "dataframe", E extends Engine = "polars">({
  client,
  ...options
}: SpeechServerOptions & { readonly client?: ArchiveClientOptions<F, E> } = {}) {
  return served(startSpeechServer(options), client);
}

/** What a search finds: one of all types finds what those of each type find. */
function ofType(found: Required<SpeechServerOptions>["found"], query: string, videotype: string): readonly object[] {
  if (videotype !== "") return found(query, videotype);
  const all = ["", "Speech", "Debate"].flatMap((type) => found(query, type));
  return [...new Map(all.map((row) => [JSON.stringify(row), row])).values()];
}

/** The path of a request, decoded. */
export function pathOf({ url }: SeenRequest): string {
  return decodeURIComponent(new URL(url, "http://x").pathname);
}

/** Ids of people that were looked up, in order of arrival. */
export function lookUps({ requests }: ScriptedServer): string[] {
  return requests.map(pathOf).flatMap((path) => (path.startsWith("/people/") ? [path.slice(8)] : []));
}

/** Names the bills of these tests, so that a speech counts on each of them. */
export const TEXT = "THE TAX ACT. THE ROAD ACT. THE BUDGET ACT. ANOTHER ACT.";

/** A speech by a person, `id` seconds after midnight. */
export function speech(id: number, personid: number | undefined, more: object = {}): object {
  const begintime = new Date(Date.UTC(2022, 0, 1) + id * 1000).toISOString().replace(".000", "");
  return mention(id, {
    begintime,
    personid,
    person: personid === undefined ? "Nobody" : `Speaker ${personid}`,
    text: TEXT,
    ...more,
  });
}

/** A senator's record. */
export function senator(id: number, name = `Senator ${id}`): object {
  return { id, name, title: "U.S. Senator" };
}

/** What a query for a phrase finds: the rows whose text has it, in capitals or not. */
export function withPhrase<R extends object>(rows: readonly R[], query: string): R[] {
  const phrase = query.replaceAll('"', "").toLowerCase();
  return rows.filter((row) => `${(row as { text?: unknown }).text}`.toLowerCase().includes(phrase));
}
