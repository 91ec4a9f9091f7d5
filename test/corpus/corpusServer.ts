import { mention, queryOf } from "../client/clientTo.js";
import {
  type ScriptedAnswer,
  type ScriptedServer,
  type SeenRequest,
  startScriptedServer,
} from "../service/scriptedServer.js";
import { secondOf } from "./dates.js";

/** A mention of the service. A search finds it if its text contains the query. */
export interface ServedRow {
  readonly id: string;
  readonly begintime: string;
  readonly text: string;
  readonly personid: number;
  readonly programid: number;
}

/** A service whose rows a test can change. */
export interface CorpusService {
  readonly server: ScriptedServer;
  readonly baseUrl: string;
  rows: readonly ServedRow[];
  /** Hours by which the days of the service begin before those of UTC. */
  hoursAhead: number;
  /** A response instead of the one of the service; undefined for that one. `offset` is that of the first row of the page. */
  instead: (request: SeenRequest, offset: number) => ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Serves mentions, newest first, by cursor and page; people and programs by id, but not the ids that end in 13. */
export async function startCorpusService(rows: readonly ServedRow[]): Promise<CorpusService> {
  const server = await startScriptedServer(async (request) => {
    const answer = await respond(request);
    // By the clock of the tests. The one of the server is not stopped.
    return "raw" in answer || "reset" in answer || "hang" in answer || "drip" in answer
      ? answer
      : { ...answer, headers: { date: new Date().toUTCString(), ...answer.headers } };
  });
  const respond = async (request: SeenRequest): Promise<ScriptedAnswer> => {
    const { pathname } = new URL(request.url, "http://x");
    const [, lookup, id = ""] = /^\/(people|programs)\/(\d+)$/.exec(pathname) ?? [];
    const { cursor, page = "1", limit = "20" } = queryOf(request);
    const from = cursor === undefined ? (Number(page) - 1) * Number(limit) : Number(cursor);
    const answer = await service.instead(request, from);
    if (answer !== undefined) return answer;
    const isKnown = !id.endsWith("13");
    if (lookup === "people") return { body: { people: isKnown ? [{ id: Number(id), name: `Person ${id}` }] : [] } };
    if (lookup === "programs")
      return isKnown ? { body: { id: Number(id), title: `Program ${id}` } } : { status: 404, body: {} };
    const found = find(service.rows, queryOf(request), service.hoursAhead);
    const to = Math.min(found.length, from + Number(limit));
    return { body: { cursor: String(to), ...(from < to && { mentions: found.slice(from, to).map(sent) }) } };
  };
  const service: CorpusService = {
    server,
    baseUrl: server.baseUrl,
    rows,
    hoursAhead: 0,
    instead: () => undefined,
    [Symbol.asyncDispose]: () => server.close(),
  };
  return service;
}

/** The rows that a search finds, newest first: the oracle of the service. */
export function find(
  rows: readonly ServedRow[],
  { query = "", mindate = "", maxdate = "9999" }: Readonly<Record<string, string>>,
  hoursAhead = 0,
): ServedRow[] {
  const isFound = ({ text, begintime }: ServedRow) => {
    if (!text.includes(query)) return false;
    const day = dayAhead(begintime, hoursAhead);
    return day >= mindate && day <= maxdate;
  };
  const order = ({ begintime, id }: ServedRow) => `${begintime} ${id}`;
  return rows.filter(isFound).sort((a, b) => (order(a) < order(b) ? 1 : -1));
}

/** Days by time: the service asks for the days of all rows at every request. */
const days = new Map<string, string>();

function dayAhead(time: string, hours: number): string {
  const key = `${time} ${hours}`;
  const day = days.get(key) ?? new Date(Date.parse(time) + hours * 3_600_000).toISOString().slice(0, 10);
  days.set(key, day);
  return day;
}

/** A row of one speaker in one program. */
export function servedRow(id: number, time: number | Date, text: string): ServedRow {
  return { id: String(id), begintime: secondOf(time), text, personid: 1, programid: 1 };
}

/** Rows over the days of 2024, with the words that their number is divisible by. */
export function servedRows(count: number): ServedRow[] {
  return Array.from({ length: count }, (_none, at) => {
    const time = Date.UTC(2024, 0, 1) + Math.floor((at * 364 * 86_400_000) / count);
    const text = `row ${at % 2 === 0 ? "alpha" : ""} ${at % 3 === 0 ? "beta" : ""} ${at % 5 === 0 ? "gamma" : ""}`;
    return { ...servedRow(900_000 + at, time, text), personid: 100 + (at % 20), programid: 5000 + (at % 30) };
  });
}

function sent({ id, ...row }: ServedRow): object {
  return mention(Number(id), row);
}

/** Serves rows as they are, whatever they have as an id. */
export function serveRaw(service: CorpusService, rows: () => readonly object[]): void {
  service.instead = ({ url }) => {
    const { cursor = "0", limit = "20" } = queryOf({ url });
    const to = Math.min(rows().length, Number(cursor) + Number(limit));
    return { body: { cursor: String(to), mentions: rows().slice(Number(cursor), to) } };
  };
}
