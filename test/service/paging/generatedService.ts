import fc from "fast-check";
import { createClient } from "../../../src/client.js";
import { abortedError } from "../../../src/errors/index.js";
import type { ArchiveClient } from "../../../src/index.js";
import { failedResponse, parseRetryAfter } from "../../../src/service/http/failedResponse.js";
import type { Requester, ServiceResponse } from "../../../src/service/http/requester.js";
import { KEY } from "../key.js";

export { abortedError, createClient, failedResponse, parseRetryAfter, type Requester };

/** A row of a generated service. */
export interface ServiceRow {
  readonly id: string;
  readonly text: string;
}

/** How the chain of cursors ends: a page without rows, with or without a cursor, or a last page without or with a known cursor. */
const ENDS = ["empty page", "empty page without cursor", "no cursor", "own cursor", "first cursor"] as const;
/** What `page=` means. */
const NUMBERS = [
  "from one",
  "from zero",
  "ignored",
  "without cursor",
  "other cursors",
  "other order",
  "two apart",
] as const;
/** What numbered pages become beyond a depth limit. */
const TOO_DEEP = [
  "empty",
  "empty without cursor",
  "last page",
  "first page",
  "error body",
  "no JSON",
  "no cursor",
  400,
  404,
  422,
  500,
] as const;

/** How a generated service responds. Everything except `numbers` and `depth` determines where its cursor leads. */
export interface ServiceModel {
  readonly rows: Pick<readonly ServiceRow[], "length" | "slice">;
  /** Maximum rows per page. */
  readonly cap: number;
  /** Whether a larger limit is refused, instead of reduced. */
  readonly refuses?: boolean;
  /** What a cursor counts or names: the rows before it, or the last of them. Default: it counts. */
  readonly cursors?: "counting" | "keyset";
  /** Rows that each page by cursor shares with the previous one. */
  readonly overlap: number;
  /** Positions at which a page is cut short. */
  readonly cuts: ReadonlySet<number>;
  readonly end: (typeof ENDS)[number];
  /** A position whose page has the cursor of an earlier page, which ends the chain. */
  readonly loop: number | undefined;
  readonly numbers: (typeof NUMBERS)[number];
  readonly depth: undefined | { readonly pages: number; readonly as: (typeof TOO_DEEP)[number] };
}

/** A page of the model. */
export interface ModelPage {
  readonly rows: readonly ServiceRow[];
  readonly cursor: string | undefined;
}

/** A service without oddities. A row is made when a page has it, because there may be millions. */
export function wellBehaved(count: number, more: Partial<ServiceModel> = {}): ServiceModel {
  const slice = (from = 0, to = count) =>
    Array.from({ length: Math.max(0, Math.min(to, count) - from) }, (_, at) => ({
      id: String(from + at + 1),
      text: "a",
    }));
  const usual = { cap: 1000, overlap: 0, cuts: new Set<number>(), end: "empty page", loop: undefined } as const;
  return { rows: { length: count, slice }, ...usual, numbers: "from one", depth: undefined, ...more };
}

/** The page at a position in the list, with the cursor of the next page. */
export function pageAtPlace(model: ServiceModel, place: number, limit: number): ModelPage {
  const { rows, cap, overlap, cuts, end, loop } = model;
  const size = Math.min(limit, cap);
  let to = Math.min(rows.length, place + size);
  for (const cut of cuts) if (cut > place + overlap && cut < to) to = cut;
  const found = rows.slice(place, to);
  if (found.length === 0) return { rows: [], cursor: end === "empty page without cursor" ? undefined : `c${place}` };
  if (loop !== undefined && place <= loop && loop < to) return { rows: found, cursor: `c${size}` };
  // Every page advances by at least one row.
  if (to < rows.length) return { rows: found, cursor: `c${Math.max(place + 1, to - overlap)}` };
  if (end === "no cursor") return { rows: found, cursor: undefined };
  if (end === "own cursor") return { rows: found, cursor: `c${place}` };
  return { rows: found, cursor: end === "first cursor" ? "c0" : `c${rows.length}` };
}

/** The reference pagination by cursor: one page after another, each once, to the end of the chain. */
export function plainPages(
  model: ServiceModel,
  limit: number,
): { rows: ServiceRow[]; duplicates: number; pages: number } {
  const rows: ServiceRow[] = [];
  const known = new Set<string>();
  const followed = new Set<string>();
  let duplicates = 0;
  for (let place = 0, pages = 1; ; pages++) {
    const page = pageAtPlace(model, place, limit);
    for (const row of page.rows) {
      const text = JSON.stringify(row);
      if (known.has(text)) duplicates++;
      else rows.push(row);
      known.add(text);
    }
    const { cursor } = page;
    if (page.rows.length === 0 || cursor === undefined || followed.has(cursor)) return { rows, duplicates, pages };
    followed.add(cursor);
    place = Number(cursor.slice(1));
  }
}

/** A request, parsed. */
export interface ModelRequest {
  readonly cursor: string | undefined;
  readonly page: number | undefined;
  readonly limit: number;
}

/** A service in place of the transport, which records its requests. */
export function serviceOf(model: ServiceModel): Requester & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async request(path, query, context) {
      const parameters = new Map(query);
      const number = parameters.get("page");
      const modelRequest = {
        cursor: parameters.get("cursor"),
        page: number === undefined ? undefined : Number(number),
        limit: Number(parameters.get("limit") ?? 20),
      };
      requests.push(modelRequest);
      context?.onRequest?.();
      await null;
      if (context?.signal?.aborted) throw abortedError();
      const isRefused = model.refuses === true && parameters.has("limit") && modelRequest.limit > model.cap;
      const { status, body } = isRefused ? { status: 400, body: "{}" } : respond(model, modelRequest);
      if (status > 299) throw failedResponse({ status, headers: {}, body }).toError(path);
      return response(status, body);
    },
  };
}

function response(status: number, body: string): ServiceResponse {
  const at = new Date(0);
  return { status, body: Buffer.from(body), headers: {}, sentAt: at, receivedAt: at, requests: 1, retries: 0 };
}

/** A page as a body. */
export function bodyOf({ rows, cursor }: ModelPage): string {
  return JSON.stringify({ ...(rows.length > 0 && { mentions: rows }), cursor });
}

function respond(model: ServiceModel, { cursor, page, limit }: ModelRequest): { status: number; body: string } {
  const ok = (found: ModelPage) => {
    const next = model.cursors === "keyset" ? found.cursor?.replace("c", "id") : found.cursor;
    return { status: 200, body: bodyOf({ ...found, cursor: next }) };
  };
  if (cursor !== undefined) return ok(pageAtPlace(model, Number(cursor.replace(/\D+/, "")), limit));
  if (page === undefined) return ok(pageAtPlace(model, 0, limit));
  const { numbers, depth, cap } = model;
  const size = Math.min(limit, cap);
  const placeOf = (number: number) => (numbers === "two apart" ? (number - 1) * (size + 2) : (number - 1) * size);
  let place = numbers === "from zero" ? page * size : placeOf(page);
  if (numbers === "ignored") place = 0;
  if (depth !== undefined && page > depth.pages) {
    const { as } = depth;
    if (typeof as === "number") return { status: as, body: '{"message":"too deep"}' };
    if (as === "error body") return { status: 200, body: '{"error":"too deep"}' };
    if (as === "no JSON") return { status: 200, body: "<html>" };
    if (as === "empty") return ok({ rows: [], cursor: `c${place}` });
    if (as === "empty without cursor") return { status: 200, body: "{}" };
    if (as === "no cursor") return ok({ ...pageAtPlace(model, place, limit), cursor: undefined });
    place = as === "first page" ? 0 : placeOf(depth.pages);
  }
  const found = pageAtPlace({ ...model, cuts: new Set() }, place, limit);
  if (numbers === "without cursor") return ok({ ...found, cursor: undefined });
  if (numbers === "other cursors") return ok({ ...found, cursor: `c${Math.min(model.rows.length, size)}` });
  if (numbers === "other order") return ok({ ...found, rows: found.rows.toReversed() });
  return ok(found);
}

const texts = fc.constantFrom("a", "b");

/** Services with consistent, though sometimes odd, responses. */
export const services: fc.Arbitrary<ServiceModel> = fc
  .record({
    ids: fc.oneof<fc.MaybeWeightedArbitrary<ReadonlyArray<readonly [number, string]>>[]>(
      {
        weight: 4,
        arbitrary: fc.nat(260).map((count) => [...Array(count).keys()].map((at) => [at + 1, "a"] as const)),
      },
      // Repeated ids, with the same content or different content.
      fc.array(fc.tuple(fc.nat(60), texts), { maxLength: 150 }),
    ),
    cap: fc.oneof(fc.constant(1000), fc.integer({ min: 3, max: 12 })),
    overlap: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 2 })),
    cuts: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(fc.nat(260), { maxLength: 3 })),
    end: fc.constantFrom("empty page" as const, ...ENDS),
    loop: fc.option(fc.nat(400), { freq: 8, nil: undefined }),
    numbers: fc.constantFrom("from one" as const, "from one" as const, ...NUMBERS),
    depth: fc.option(fc.record({ pages: fc.integer({ min: 1, max: 30 }), as: fc.constantFrom(...TOO_DEEP) }), {
      nil: undefined,
    }),
  })
  .map(({ ids, cuts, ...rest }) => ({
    ...rest,
    rows: ids.map(([id, text]) => ({ id: String(id), text })),
    cuts: new Set(cuts),
  }));

/** A client whose requests a requester answers. */
export function archiveOf(requester: Requester, pageSize: number | undefined, concurrency = 4): ArchiveClient {
  const transport = { request: requester.request.bind(requester), close: async () => undefined };
  return createClient(
    { apiKey: KEY, pageSize, concurrency, progress: false },
    { source: "http://x", transportOf: () => transport },
  );
}
