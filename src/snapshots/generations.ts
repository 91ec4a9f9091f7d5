import { operationOfPath } from "../service/operations/operationNames.js";
import { isSearch } from "../service/operations/operations.js";
import { Generation, later } from "./generation.js";
import type { GivenUp, StoredAnswer } from "./indexLine.js";

/** What says which page of a search is asked for, and not what is searched. */
const PLACE: readonly string[] = ["cursor", "page", "limit"];

const ALL = Number.POSITIVE_INFINITY;

/** All answers of a snapshot, by the retrieval of a search that they belong to. */
export class Generations {
  /** Requests that were given up, whatever walk they belong to. */
  readonly givenUp = new Map<string, GivenUp>();
  readonly #byId = new Map<string, Generation>();
  readonly #bySearch = new Map<string, Generation[]>();
  readonly #byRequest = new Map<string, Set<Generation>>();
  readonly #lookUps = new Map<string, StoredAnswer>();

  /**
   * @param file number of the index that the answer stands in
   * @param own stored by this client now
   * @returns the generation of the answer; undefined for a look-up
   */
  add(answer: StoredAnswer, file: number, own = false): Generation | undefined {
    const { get } = answer;
    const generation = this.#of(answer, file, own);
    if (generation === undefined) {
      this.#lookUps.set(get, later(this.#lookUps.get(get), answer));
      return undefined;
    }
    generation.add(answer, file);
    const known = this.#byRequest.get(get);
    if (known === undefined) this.#byRequest.set(get, new Set([generation]));
    else known.add(generation);
    return generation;
  }

  giveUp(given: GivenUp): void {
    if (given.generation !== undefined) this.#byId.get(given.generation)?.givenUp.set(given.get, given);
    this.givenUp.set(given.get, given);
  }

  /** @see Finished */
  finish(id: string, wanted: number, rows: number): void {
    const finished = this.#byId.get(id)?.finished;
    finished?.set(wanted, Math.max(rows, finished.get(wanted) ?? 0));
  }

  /** The newest answer to a request, whatever walk it belongs to. */
  newest(get: string): StoredAnswer | undefined {
    const all = [...(this.#byRequest.get(get) ?? [])].map((generation) => generation.newest(get));
    return [...all, this.#lookUps.get(get)].reduce<StoredAnswer | undefined>(
      (best, answer) => (answer === undefined ? best : later(best, answer)),
      undefined,
    );
  }

  /** Requests that have an answer. */
  get requests(): string[] {
    return [...this.#byRequest.keys(), ...this.#lookUps.keys()];
  }

  /**
   * The generation for a walk that begins with a request: the newest with which a walk for as many rows has come to its own end. Where
   * there is none, the newest that has as many rows; then the newest that was not interrupted; then the newest.
   *
   * @param rows that the walk wants; 0 for the first page only, `Infinity` for all
   */
  choose(get: string, rows: number, usable: (generation: Generation) => boolean): Generation | undefined {
    const { pathname, searchParams } = new URL(get, "http://x");
    const all = this.#newestFirst(searchText(pathname, searchParams));
    return chosen(
      all.filter(({ generation }) => generation.has(get) && usable(generation)),
      rows,
      get,
    );
  }

  /**
   * The newest generation that has a request, and in which a walk would have got the same answers so far. Going on in it mixes nothing:
   * the walk could have been in it from the beginning. Two ways of running one search request other pages after the same first ones.
   */
  equalSoFar(
    used: readonly StoredAnswer[],
    get: string,
    usable: (generation: Generation) => boolean,
  ): Generation | undefined {
    return [...(this.#byRequest.get(get) ?? [])].sort(newestFirst).find((generation) => {
      const order = generation.noted && usable(generation) ? generation.orderAfter(used) : undefined;
      return order !== undefined && generation.find(get, order) !== undefined;
    });
  }

  /**
   * A later generation that goes on where one ends: it has the request, and was not begun at the beginning itself, as a save does that
   * goes on from its journal.
   */
  continuation(of: Generation, get: string, usable: (generation: Generation) => boolean): Generation | undefined {
    return [...(this.#byRequest.get(get) ?? [])]
      .filter((other) => other !== of && other.begunAt >= of.begunAt && !other.has(of.start) && usable(other))
      .sort(newestFirst)
      .at(-1);
  }

  /** The answers that a replay uses, by search; of look-ups by request. */
  current(): Map<string, StoredAnswer[]> {
    const lookUps = [...this.#lookUps].map(([get, answer]): [string, StoredAnswer[]] => [get, [answer]]);
    return new Map([...lookUps, ...[...this.#bySearch.keys()].map((search) => [search, this.#inUse(search)] as const)]);
  }

  /** The generation that a walk for everything would use, for each first page, and those that go on where it ends. */
  #inUse(search: string): StoredAnswer[] {
    const all = this.#newestFirst(search);
    const byStart = new Map<string, Scored[]>();
    for (const scored of all.filter(({ isFragment }) => !isFragment)) {
      const { start } = scored.generation;
      const same = byStart.get(start);
      if (same === undefined) byStart.set(start, [scored]);
      else same.push(scored);
    }
    const whole = [...byStart].map(([start, some]) => chosen(some, ALL, start) as Generation);
    const oldest = whole.reduce((least, { begunAt }) => (least === "" || begunAt < least ? begunAt : least), "");
    const fragments = all.filter(({ isFragment, generation }) => isFragment && generation.begunAt >= oldest);
    const pages = new Map<string, StoredAnswer>();
    for (const { answers } of [...whole, ...fragments.map(({ generation }) => generation)]) {
      for (const answer of answers) pages.set(answer.get, later(pages.get(answer.get), answer));
    }
    return [...pages.values()];
  }

  /** The generations of a search, and what came to an end with each and with those that go on where it stops. */
  #newestFirst(search: string): Scored[] {
    let following: Generation[] = [];
    return (this.#bySearch.get(search) ?? [])
      .toReversed()
      .sort(newestFirst)
      .map((generation) => {
        const isFragment = !isBeginning(generation.start);
        const chain = isFragment ? [generation] : [generation, ...following];
        following = isFragment ? [...following, generation].slice(-MAX_FOLLOWING) : [];
        return { generation, isFragment, finished: chain.map(({ finished }) => finished) };
      });
  }

  #of({ get, generation: id }: StoredAnswer, file: number, own: boolean): Generation | undefined {
    const known = id === undefined ? undefined : this.#byId.get(id);
    if (known !== undefined) return known;
    const { pathname, searchParams } = new URL(get, "http://x");
    if (id === undefined && !isSearch(operationOfPath(pathname))) return undefined;
    const search = searchText(pathname, searchParams);
    const key = id ?? `${file} ${search}`;
    const same = this.#byId.get(key);
    if (same !== undefined) return same;
    const made = new Generation(id, search, own);
    this.#byId.set(key, made);
    const others = this.#bySearch.get(search);
    if (others === undefined) this.#bySearch.set(search, [made]);
    else others.push(made);
    return made;
  }
}

interface Scored {
  readonly generation: Generation;
  /** See {@link Generation.finished}: of the generation, and of those that go on where it stops. */
  readonly finished: ReadonlyArray<ReadonlyMap<number, number>>;
  /** It does not begin with the first page: it goes on where another one has stopped, or was asked for by its cursor. */
  readonly isFragment: boolean;
}

/** More that go on one after the other are not looked at. */
const MAX_FOLLOWING = 20;

/** @param some newest first */
function chosen(some: readonly Scored[], rows: number, get: string): Generation | undefined {
  const having = (is: (came: number, wanted: number) => boolean) =>
    some.find(({ generation, finished }) => {
      const walks = finished.flatMap((each) => [...each]);
      // A walk that has begun elsewhere in the generation says nothing of this one, unless it came to the end of the search.
      return walks.some(([wanted, came]) => (generation.start === get || came === ALL) && is(came, wanted));
    });
  const best =
    (rows === 0 ? some[0] : undefined) ??
    having((came, wanted) => wanted === rows && came >= rows) ??
    having((came) => came >= rows) ??
    // Where nobody has noted it, it may be whole.
    some.find(({ generation }) => !generation.noted) ??
    having(() => true) ??
    some[0];
  return best?.generation;
}

/** What is searched, without the place: `/mentions?query=climate`. */
function searchText(pathname: string, params: URLSearchParams): string {
  for (const name of PLACE) params.delete(name);
  const query = params.toString();
  return query === "" ? pathname : `${pathname}?${query}`;
}

/** Whether a request is for the first page of a search. */
function isBeginning(get: string): boolean {
  const { searchParams } = new URL(get, "http://x");
  return !searchParams.has("cursor") && Number(searchParams.get("page") ?? 1) <= 1;
}

function newestFirst(a: Generation, b: Generation): number {
  return a.begunAt === b.begunAt ? 0 : a.begunAt < b.begunAt ? 1 : -1;
}
