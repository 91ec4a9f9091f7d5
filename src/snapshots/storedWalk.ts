import { randomBytes } from "node:crypto";
import type { Cost, WalkContext } from "../service/http/requester.js";
import { firstOrder, type Generation } from "./generation.js";
import type { GenerationPart, StoredAnswer } from "./indexLine.js";
import type { NewAnswer, SnapshotStore } from "./snapshotStore.js";

/** A search goes on by cursor or by page number, so a walk has reason to change to an equal retrieval once or twice. */
const MAX_CHANGES = 4;

/** What says whether stored answers may be used. */
export type Usable = (of: { readonly begunAt: string; readonly own: boolean; readonly noted: boolean }) => boolean;

/**
 * What a snapshot gives to one walk over a search, and takes from it. All stored answers that a walk uses are of one generation, and once
 * a walk depends on an answer that the service gives now, it uses none from before. Otherwise rows that have moved from one page to
 * another between two retrievals would be missing from a result that says it is complete.
 */
export class StoredWalk {
  #generation: Generation | undefined;
  #chosen = false;
  #live = false;
  /** The place in the generation that the walk has reached: answers from before are not used. */
  #order = 0;
  #part: GenerationPart | undefined;
  #added = false;
  #asked = 0;
  /** The stored answers that the walk has used, in order. */
  readonly #used: StoredAnswer[] = [];
  #changes = 0;

  /** @param context the walk; undefined for a look-up, which gets the newest answer */
  constructor(
    readonly store: SnapshotStore,
    readonly context: WalkContext | undefined,
    readonly usable: Usable,
  ) {
    if (context === undefined) return;
    context.onEnd = (rows) => {
      if (this.#added && this.#part !== undefined) store.finish(this.#part.generation, context.rows, rows);
    };
  }

  /** A stored answer to the next request of the walk. */
  find(get: string): StoredAnswer | undefined {
    const { generations } = this.store;
    if (this.context === undefined) {
      const answer = generations.newest(get);
      if (answer === undefined) return undefined;
      return this.usable({ begunAt: answer.receivedAt, own: this.store.isOwn(answer), noted: true })
        ? answer
        : undefined;
    }
    if (!this.#chosen) {
      this.#chosen = true;
      this.#generation = generations.choose(get, this.context.rows, this.usable);
    }
    if (this.#generation === undefined) return undefined;
    let placed = this.#generation.find(get, this.#order);
    if (placed === undefined && !this.#live) {
      const equal = this.#changes++ < MAX_CHANGES ? generations.equalSoFar(this.#used, get, this.usable) : undefined;
      const next = equal ?? generations.continuation(this.#generation, get, this.usable);
      placed = next?.find(get, equal === undefined ? 0 : equal.orderAfter(this.#used));
      if (placed !== undefined) this.#generation = next;
    }
    if (placed === undefined) return undefined;
    this.#order = placed.order;
    this.#used.push(placed.answer);
    return placed.answer;
  }

  /** What a request has cost that was given up before its answer came. */
  costOfGivenUp(get: string): Cost | undefined {
    const { givenUp } = this.#generation?.noted ? this.#generation : this.store.generations;
    return givenUp.get(get);
  }

  /**
   * Has to be called before the service is asked.
   *
   * @param refused the service is asked again for what it had refused
   */
  asks(get: string, refused: boolean): void {
    if (this.context === undefined) return;
    const first = ++this.#asked === 1;
    // What an earlier walk came to its end without may not be needed: that shows when the answer is there.
    const isWhole = this.#generation?.brings(this.context.rows);
    const dispensable = refused || this.#generation?.givenUp.has(get);
    if (!(refused && first) && !(isWhole && dispensable)) this.#goLive();
  }

  /**
   * Stores what the service has answered.
   *
   * @throws FileError
   */
  async add(get: string, answer: NewAnswer): Promise<void> {
    if (this.context === undefined) return void (await this.store.add(get, answer));
    if (answer.status <= 299) this.#goLive();
    else if (this.#generation?.find(get, this.#order)?.answer.status === answer.status) return;
    const generation = await this.store.add(get, answer, this.#ownPart());
    if (this.#live) this.#generation = generation;
    this.#added = true;
  }

  /**
   * Notes a request that was given up before its answer came: a replay counts it as well.
   *
   * @throws FileError
   */
  giveUp(get: string, requests: number): void {
    const known = this.costOfGivenUp(get);
    if (requests === 0 && (known !== undefined || this.#part === undefined)) return;
    this.store.giveUp(get, requests, this.context === undefined ? undefined : this.#ownPart());
  }

  #goLive(): void {
    if (this.#live || this.context === undefined) return;
    this.#live = true;
    const { part } = this.#ownPart();
    this.#order = firstOrder(part);
    if (this.#generation?.id !== this.#part?.generation) this.#generation = undefined;
  }

  /** What this walk adds to the generation; where nobody has noted which answers belong to it, it begins a new one. */
  #ownPart(): GenerationPart {
    const { id } = this.#generation ?? {};
    this.#part ??=
      this.#generation === undefined || id === undefined
        ? { generation: randomBytes(8).toString("hex"), part: 1 }
        : { generation: id, part: ++this.#generation.part };
    return this.#part;
  }
}
