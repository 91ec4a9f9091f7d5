import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Corpus, CorpusSearch } from "../../src/corpus/index.js";
import { toRecords } from "../../src/index.js";
import { queryOf } from "../client/clientTo.js";
import { runs } from "../scale.js";
import type { SeenRequest } from "../service/scriptedServer.js";
import { corpusOf, newDirectory, removeSearch, untilComplete } from "./corpora.js";
import { type CorpusService, find, type ServedRow, servedRow, startCorpusService } from "./corpusServer.js";
import { dayOf, fakeDates, secondOf } from "./dates.js";
import { tableBytes } from "./tableBytes.js";

const QUERIES = ["alpha", "beta", "gamma", "delta"] as const;
/** "early" and "alpha" have windows in common. */
const SEARCHES: Readonly<Record<string, Record<string, string>>> = {
  ...Object.fromEntries(QUERIES.map((query) => [query, { query, mindate: "2024-01-20" }])),
  gamma: { query: "gamma", mindate: "2024-01-20", maxdate: "2024-03-15" },
  early: { query: "alpha", mindate: "2024-02-05", maxdate: "2024-03-10" },
};
const NAMES = Object.keys(SEARCHES);
const PERIODS = ["day", "week", "month", "quarter"] as const;
const KINDS = [
  ...(["build", "refresh", "capped", "aborted", "plan", "edit", "lose"] as const),
  ...(["add", "remove", "fail", "split", "column", "pages", "edited", "lookups"] as const),
];
const HOUR = 3_600_000;
const BEGINS = Date.parse("2024-02-01T00:00:00Z");
const LAST_HOUR = 70 * 24;
const ALL = { lag: "9999d" };

const today = fakeDates();

const history = fc.record({
  window: fc.constantFrom(undefined, ...PERIODS),
  hoursAhead: fc.integer({ min: -12, max: 14 }),
  steps: fc.array(fc.tuple(fc.constantFrom(...KINDS, "edit", "refresh"), fc.nat(999)), {
    minLength: 14,
    maxLength: 14,
  }),
});

/** Rows that come, go, move and change, and what the service has sent of them. */
class World {
  /** The first day on which an id was sent with a text. */
  readonly sent = new Map<string, Map<string, string>>();
  /** The first days on which ids were removed or moved. */
  readonly removed = new Map<string, string>();
  /** The query that the service refuses. */
  failing = "";
  /** Called before each response. */
  onRequest: () => void = () => undefined;
  #next = 0;
  #day = 0;

  constructor(readonly service: CorpusService) {
    this.pass(0);
    this.add(40, 0);
    service.instead = (request, offset) => this.#answer(request, offset);
  }

  get day(): string {
    return secondOf(Date.parse("2024-04-12") + this.#day * 24 * HOUR).slice(0, 10);
  }

  pass(days: number): void {
    this.#day += days;
    today(this.day);
  }

  add(length: number, n: number): void {
    const made = Array.from({ length }, () => {
      const words = QUERIES.filter((_word, at) => ((this.#next * 7 + n) >> at) % 2 === 1);
      const time = BEGINS + ((this.#next * 743 + n) % LAST_HOUR) * HOUR;
      const one = servedRow(7000 + this.#next++, time, words.join(" "));
      return { ...one, personid: 100 + (this.#next % 9), programid: 600 + (this.#next % 6) };
    });
    this.service.rows = [...this.service.rows, ...made];
  }

  edit(n: number): void {
    const { service } = this;
    const isRemoved = (_row: ServedRow, at: number) => (at + n) % 11 === 0;
    const leave = ({ id }: ServedRow) => void this.removed.set(id, this.removed.get(id) ?? this.day);
    for (const row of service.rows.filter(isRemoved)) leave(row);
    service.rows = service.rows
      .filter((row, at) => !isRemoved(row, at))
      .map((row, at) => {
        if ((at + n) % 9 === 0) return { ...row, text: `${row.text} ${n}` };
        if ((at + n) % 13 === 0) return { ...row, personid: 200 + (n % 5) };
        if ((at + n) % 7 > 0) return row;
        leave(row);
        return { ...row, begintime: secondOf(BEGINS + ((at * n) % LAST_HOUR) * HOUR) };
      });
    this.add(n % 5, n);
  }

  #answer(request: SeenRequest, offset: number) {
    this.onRequest();
    const query = queryOf(request);
    if (query.query === undefined) return undefined;
    if (query.query === this.failing) return { status: 400, body: { message: "no" } };
    for (const { id, text } of find(this.service.rows, query, this.service.hoursAhead).slice(
      offset,
      offset + Number(query.limit),
    )) {
      const texts = this.sent.get(id) ?? new Map<string, string>();
      this.sent.set(id, texts.set(text, texts.get(text) ?? this.day));
    }
    return undefined;
  }
}

describe("any history", () => {
  it("ends with what the service has, for readers and for loaders, dates it, and asks for nothing again", async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ window, hoursAhead, steps }) => {
        await using service = await startCorpusService([]);
        service.hoursAhead = hoursAhead;
        const world = new World(service);
        const searchOf = (name: string) => SEARCHES[name] as CorpusSearch;
        const names = new Set(["alpha", "delta"]);
        const dir = newDirectory();
        let pageSize = 10;
        const open = (more: object = {}) => corpusOf(service, { dir, pageSize, ...more });
        let corpus = await open({ searches: [...names].map(searchOf), window });
        let since: number | undefined = 0;
        const loaded = new Map<unknown, unknown>();
        const load = () => {
          if (since === undefined) return;
          for (const { id, text, vanished, run: number } of toRecords(corpus.changes({ since }))) {
            loaded.set(id, vanished === null ? text : null);
            since = Math.max(since, Number(number));
          }
        };
        const run = (n: number, options: object) =>
          n % 2 === 0 ? corpus.build(options) : corpus.refresh({ ...(n % 3 === 0 ? { lag: "7d" } : ALL), ...options });
        for (const [kind, n] of steps) {
          world.pass(n % 4 === 0 ? n % 3 : 0);
          const name = (kind === "remove" ? [...names][n % names.size] : NAMES[n % NAMES.length]) as string;
          if (kind === "build") await corpus.build();
          else if (kind === "refresh") await corpus.refresh(n % 3 === 0 ? { lag: "7d" } : ALL);
          else if (kind === "capped") await run(n, { maxRequests: n % 12 });
          else if (kind === "aborted") await aborted(world, n, (signal) => run(n, { signal }));
          else if (kind === "edited") await edited(world, n, () => run(n, n % 5 === 0 ? { maxRequests: n % 12 } : {}));
          else if (kind === "plan") await corpus.plan(n % 2 === 0 ? { maxRequests: n % 12 } : {});
          else if (kind === "edit") world.edit(n);
          else if (kind === "lose") rmSync(join(dir, "corpus.duckdb"), { force: true });
          else if (kind === "add") corpus = await open({ searches: [searchOf(name)] });
          else if (kind === "remove" && names.size > 1) {
            removeSearch(dir, SEARCHES[name] ?? {});
            await corpus.plan({ maxRequests: 0 });
            names.delete(name);
            since = undefined;
          } else if (kind === "fail") world.failing = world.failing === "" ? (QUERIES[n % 4] as string) : "";
          else if (kind === "split") corpus = await open({ window: PERIODS[n % PERIODS.length] });
          else if (kind === "column") service.rows = service.rows.map((one) => ({ ...one, channel: `c${n % 2}` }));
          else if (kind === "lookups") corpus = await open({ lookups: n % 2 === 0 ? ["people", "programs"] : [] });
          else if (kind === "pages") {
            pageSize = [3, 10, 20][n % 3] as number;
            corpus = await open();
          }
          if (kind === "add") names.add(name);
          if (["build", "refresh", "capped", "aborted", "edited"].includes(kind)) {
            expect((await corpus.verify()).problems).toEqual([]);
            checkDays(world, toRecords(await corpus.mentions().collect()));
          }
          load();
        }
        world.failing = "";
        await corpus.build();
        await corpus.refresh(ALL);
        await untilComplete(() => corpus.refresh(ALL), 3);
        load();
        const mentions = toRecords(await corpus.mentions().collect());
        await isServed(corpus, service, names, mentions);
        checkDays(world, mentions);
        if (since !== undefined)
          expect(loaded).toEqual(
            new Map(mentions.map(({ id, text, vanished }) => [id, vanished === null ? text : null])),
          );
        expect(await corpus.info()).toMatchObject({ failed: [] });
        expect((await corpus.build()).requests).toBe(0);
        const bytes = tableBytes(dir);
        rmSync(join(dir, "corpus.duckdb"));
        expect((await corpus.build()).requests).toBe(0);
        expect(tableBytes(dir)).toEqual(bytes);
      }),
      { numRuns: runs(3, 200) },
    );
  });
});

/** The id of a search that was built. */
function idOf(corpus: Corpus, name: string): string {
  const isIt = ({ parameters }: Readonly<Record<string, unknown>>) =>
    textOf(JSON.parse(String(parameters))) === textOf(SEARCHES[name] ?? {});
  return String(toRecords(corpus.searches()).find(isIt)?.search);
}

const textOf = (parameters: object) => JSON.stringify(Object.entries(parameters).sort());

/** A run that is aborted at one of its requests, if it sends as many. */
async function aborted(world: World, n: number, run: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const controller = new AbortController();
  let left = n % 15;
  world.onRequest = () => {
    if (left-- === 0) controller.abort();
  };
  await run(controller.signal).catch((error: unknown) => expect(error).toMatchObject({ code: "ABORTED" }));
  world.onRequest = () => undefined;
}

/** A run during which texts change: windows disagree about mentions, and more searches find them. Some then have their old texts again. */
async function edited(world: World, n: number, run: () => Promise<unknown>): Promise<void> {
  const { service, removed } = world;
  const { rows } = service;
  const isEdited = (_row: ServedRow, at: number) => (at + n) % 3 === 0;
  const edit = (row: ServedRow) => ({ ...row, text: `${row.text} ${QUERIES[n % 4]} ${n}` });
  let left = n % 9;
  world.onRequest = () => {
    if (left-- === 0) service.rows = rows.map((row, at) => (isEdited(row, at) ? edit(row) : row));
  };
  await run();
  world.onRequest = () => undefined;
  if (n % 7 > 3) return;
  service.rows = rows;
  for (const { id } of rows.filter(isEdited)) removed.set(id, removed.get(id) ?? world.day);
}

/** The mentions that have not vanished are those of the service, and each search has its hits. */
async function isServed(
  corpus: Corpus,
  service: CorpusService,
  names: Iterable<string>,
  mentions: ReadonlyArray<Readonly<Record<string, unknown>>>,
): Promise<void> {
  const found = [...names].flatMap((name) => {
    const rows = find(service.rows, SEARCHES[name] ?? {}, service.hoursAhead);
    return rows.map((row) => ({ search: idOf(corpus, name), ...row }));
  });
  const contentOf = ({ id, text, begintime, personid }: Readonly<Record<string, unknown>>) =>
    `${id} ${text} ${begintime instanceof Date ? secondOf(begintime) : begintime} ${personid}`;
  const live = mentions.filter(({ vanished }) => vanished === null);
  expect(live.map(contentOf).sort()).toEqual([...new Set(found.map(contentOf))].sort());
  const hits = toRecords(await corpus.hits().collect()).filter(({ vanished }) => vanished === null);
  const hitOf = ({ search, id }: Readonly<Record<string, unknown>>) => `${search} ${id}`;
  expect(hits.map(hitOf).sort()).toEqual(found.map(hitOf).sort());
}

/** Mentions were first seen and changed when the service had sent them, and have vanished after they were removed. */
function checkDays(world: World, mentions: ReadonlyArray<Readonly<Record<string, unknown>>>): void {
  for (const { id, text, ...days } of mentions) {
    const [first, changed, vanished] = [days.first_seen, days.changed, days.vanished].map((day) => dayOf(day) ?? "");
    // A row that was edited and moved to the next page while a window was read is two rows of that window.
    const sent = String(id).replace(/#\d+$/, "");
    const texts = world.sent.get(sent) ?? new Map<string, string>();
    expect(String(first) >= ([...texts.values()].sort()[0] ?? "never"), `first_seen of ${id}`).toBe(true);
    if (changed !== "") expect(String(changed) >= (texts.get(String(text)) ?? "never"), `changed of ${id}`).toBe(true);
    if (vanished !== "")
      expect(String(vanished) >= (world.removed.get(sent) ?? "never"), `vanished of ${id}`).toBe(true);
  }
}
