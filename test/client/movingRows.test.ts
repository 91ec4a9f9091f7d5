import fc from "fast-check";
import { expect, it } from "vitest";
import { type ArchiveClient, ArchiveError, provenanceOf } from "../../src/index.js";
import { runs } from "../scale.js";
import { archiveOf } from "../service/paging/generatedService.js";

/** What happens to the list before a request is served: rows are removed or added, at a share of its length. */
interface Change {
  readonly what: "add" | "remove";
  readonly at: number;
}

/** A generated service over an ordered list of rows. */
interface Model {
  readonly rows: number;
  readonly pageSize: number;
  /** What a cursor says: after which row, or after how many rows. */
  readonly cursor: "row" | "position";
  readonly envelope: keyof typeof ENVELOPES;
  readonly end: "empty page" | "no cursor" | "same cursor";
  readonly numbers: "from one" | "from zero" | "ignored";
  /** The last page number that has rows. */
  readonly depth: number;
  /** The other lists of a page. */
  readonly others: object;
  /** Changes before the n-th response. */
  readonly changes: ReadonlyMap<number, readonly Change[]>;
  /** How long each response takes, in turns of the event loop. */
  readonly delays: readonly number[];
}

type Envelope = (cursor: string | undefined) => object;

/** How a page spells its cursor. The last four are in no form that a client can know. */
const ENVELOPES = {
  cursor: (cursor) => ({ cursor }),
  nextCursor: (nextCursor) => ({ nextCursor }),
  pagination: (cursor) => ({ pagination: { cursor } }),
  "cursor.next": (next) => ({ cursor: { next } }),
  link: (cursor) => ({ links: { next: cursor && `/mentions?cursor=${cursor}` } }),
  list: (cursor) => ({ cursor: cursor === undefined ? [] : [cursor] }),
  flag: (cursor) => ({ cursor: cursor !== undefined }),
  object: (cursor) => ({ cursor: cursor && { position: cursor } }),
  "has more": (cursor) => ({ has_more: cursor !== undefined }),
} satisfies Record<string, Envelope>;
const UNKNOWN: readonly string[] = ["pagination", "cursor.next", "link", "list", "flag", "object", "has more"];

/** A service whose list changes while it is read. */
class MovingService {
  /** Keys in ascending order: what the cursor of a row names. */
  list: number[];
  readonly everThere: Set<number>;
  readonly removed = new Set<number>();
  #served = 0;
  #sent = 0;

  constructor(readonly model: Model) {
    this.list = [...Array(model.rows).keys()].map((at) => at * 2 ** 20);
    this.everThere = new Set(this.list);
  }

  /** The rows that were there from beginning to end. */
  get lasting(): number[] {
    return [...Array(this.model.rows).keys()].map((at) => at * 2 ** 20).filter((key) => !this.removed.has(key));
  }

  async request(_path: string, query: ReadonlyArray<readonly [string, string]>, context?: { onRequest?: () => void }) {
    context?.onRequest?.();
    const { delays } = this.model;
    for (let turn = delays[this.#sent++ % delays.length] ?? 0; turn > 0; turn--) await new Promise(setImmediate);
    for (const change of this.model.changes.get(this.#served++) ?? []) this.#change(change);
    const at = new Date(0);
    const body = Buffer.from(JSON.stringify(this.#page(new Map(query))));
    return { status: 200, body, headers: {}, sentAt: at, receivedAt: at, requests: 1, retries: 0 };
  }

  #change({ what, at }: Change): void {
    const { list } = this;
    const place = Math.floor(at * list.length);
    if (what === "remove") {
      for (const key of list.splice(place, 1)) this.removed.add(key);
      return;
    }
    const before = list[place - 1] ?? (list[place] ?? 0) - 2 ** 20;
    const key = Math.floor((before + (list[place] ?? before + 2 ** 20)) / 2);
    if (this.everThere.has(key)) return;
    list.splice(place, 0, key);
    this.everThere.add(key);
  }

  #page(query: ReadonlyMap<string, string>): object {
    const { model, list } = this;
    const { numbers, depth, end, envelope, others } = model;
    const size = Number(query.get("limit") ?? 20);
    const cursor = query.get("cursor");
    const number = Number(query.get("page"));
    let from = 0;
    if (cursor !== undefined) {
      const value = Number(cursor.slice(1));
      const after = list.findIndex((key) => key > value);
      from = model.cursor === "position" ? value : after < 0 ? list.length : after;
    } else if (number > 0 && numbers !== "ignored") {
      from = number > depth ? list.length : (numbers === "from one" ? number - 1 : number) * size;
    }
    const keys = list.slice(from, from + size);
    let next: string | undefined = model.cursor === "row" ? `r${keys.at(-1)}` : `p${from + keys.length}`;
    if (keys.length === 0) next = cursor;
    else if (from + size >= list.length && end !== "empty page") next = end === "no cursor" ? undefined : cursor;
    const rows = keys.map((key) => ({ id: String(key), text: "A" }));
    return { ...others, ...(ENVELOPES[envelope] as Envelope)(next), ...(rows.length > 0 && { mentions: rows }) };
  }
}

const names = Object.keys(ENVELOPES) as Array<keyof typeof ENVELOPES>;
const change = fc.record({
  what: fc.constantFrom("add" as const, "remove" as const),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
});
/** How many rows are added in front before the n-th response: fewer than a page has, or once as many as several pages have. */
const additions = fc.oneof(
  fc.constant(Array(300).fill(1)),
  fc.array(fc.nat(2), { maxLength: 60 }),
  fc
    .tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 10, max: 60 }))
    .map(([when, many]) => [...Array(when).fill(0), many]),
);
const inFront: Change = { what: "add", at: 0 };
const changes = fc.oneof<fc.MaybeWeightedArbitrary<Array<[number, Change[]]>>[]>(
  fc.constant([]),
  {
    weight: 2,
    arbitrary: additions.map((counts) =>
      counts.map((count, at) => [at, Array(count).fill(inFront)] as [number, Change[]]),
    ),
  },
  fc.array(fc.tuple(fc.nat(60), fc.array(change, { minLength: 1, maxLength: 3 })), { minLength: 1, maxLength: 20 }),
  // One row removed after many were read.
  fc
    .tuple(fc.integer({ min: 9, max: 50 }), fc.double({ min: 0, max: 0.3, noNaN: true }))
    .map(([when, at]) => [[when, [{ what: "remove" as const, at }]] as [number, Change[]]]),
);
const models: fc.Arbitrary<Model> = fc.record({
  rows: fc.oneof(fc.nat(60), { weight: 2, arbitrary: fc.integer({ min: 60, max: 500 }) }),
  pageSize: fc.integer({ min: 2, max: 12 }),
  cursor: fc.constantFrom("row", "position"),
  envelope: fc.oneof({ weight: 3, arbitrary: fc.constant("cursor" as const) }, fc.constantFrom(...names)),
  end: fc.constantFrom("empty page", "empty page", "no cursor", "same cursor"),
  numbers: fc.constantFrom("from one", "from one", "from one", "from zero", "ignored"),
  depth: fc.oneof(fc.constant(1e9), fc.integer({ min: 1, max: 60 })),
  others: fc.constantFrom({}, {}, { suggestions: [] }, { took: [{ ms: 1 }], total: 3 }),
  changes: changes.map((list) => new Map(list)),
  delays: fc.array(fc.nat(4), { minLength: 1, maxLength: 9 }),
});

/** Reads all rows: with several requests at a time, or, for 0, as one reads on. */
async function readAll(archive: ArchiveClient, concurrency: number) {
  if (concurrency > 0) return await archive.mentions("x", { maxItems: 1e6, format: "records" });
  const rows: Array<{ readonly id?: unknown }> = [];
  for await (const row of archive.iterRecords("mentions", { query: "x" })) rows.push(row);
  return rows;
}

/** What a client may refuse instead of lying: a cursor in an unknown form, and rows that are added in front as fast as it reads. */
function expectRefusal({ code }: ArchiveError, { envelope, changes }: Model): void {
  if (code === "CURSOR_CIRCLES") expect([...changes.values()].flat().map(({ what }) => what)).toContain("add");
  else {
    expect(code).toBe("UNKNOWN_CURSOR");
    expect(UNKNOWN).toContain(envelope);
  }
}

const CASES = runs(150, 8000);

it(`returns every row that was there all the time, or does not say that it is complete, on ${CASES} services`, async () => {
  let completeWhileMoving = 0;
  await fc.assert(
    fc.asyncProperty(models, fc.constantFrom(0, 1, 4, 8), async (model, concurrency) => {
      const service = new MovingService(model);
      await using archive = archiveOf(service, model.pageSize, Math.max(1, concurrency));
      const outcome = await readAll(archive, concurrency).catch((error: unknown) => error as ArchiveError);
      if (outcome instanceof ArchiveError) {
        expectRefusal(outcome, model);
        return;
      }
      expect(provenanceOf(archive.lastResult()?.frame)?.verdict).toBe("complete");
      const found = outcome.map(({ id }) => Number(id));
      const keys = new Set(found);
      expect(keys.size).toBe(outcome.length);
      const lasting = new Set(service.lasting);
      const inOrder = service.lasting.filter((key) => keys.has(key));
      expect(found.filter((key) => lasting.has(key))).toEqual(inOrder);
      expect([...keys].filter((key) => !service.everThere.has(key))).toEqual([]);
      const missing = service.lasting.filter((key) => !keys.has(key));
      // A cursor that is a position skips a row itself when an earlier one is removed.
      expect(missing.length).toBeLessThanOrEqual(model.cursor === "row" ? 0 : service.removed.size);
      if (service.removed.size > 0 && keys.size > 20 * model.pageSize) completeWhileMoving++;
    }),
    { numRuns: CASES },
  );
  expect(completeWhileMoving).toBeGreaterThan(CASES / 50);
});

it(`counts exactly or says that it does not, on ${CASES / 2} services`, async () => {
  let exact = 0;
  await fc.assert(
    fc.asyncProperty(models, async (model) => {
      const service = new MovingService(model);
      await using archive = archiveOf(service, model.pageSize);
      const outcome = await archive.count("mentions", "x").catch((error: unknown) => error as ArchiveError);
      if (outcome instanceof ArchiveError) {
        expectRefusal(outcome, model);
        return;
      }
      const { rows, verdict } = outcome;
      if (verdict === "exact" || verdict === "at least") expect(rows).toBeLessThanOrEqual(service.everThere.size);
      if (verdict !== "exact") return;
      exact++;
      expect(rows).toBeGreaterThanOrEqual(service.lasting.length - (model.cursor === "row" ? 0 : service.removed.size));
      if (model.changes.size === 0) expect(rows).toBe(model.rows);
    }),
    { numRuns: runs(75, 4000) },
  );
  expect(exact).toBeGreaterThan(CASES / 8);
});
