import { type Bill, makeBills } from "./bills.js";
import { type Mention, makeMentions } from "./mentions.js";
import { makePeople, type People } from "./people.js";
import { makePrograms, type Program } from "./programs.js";
import { makeReairings } from "./reairings.js";

/**
 * All data of the archive, generated from a seed. Each collection is generated on first use from its own random stream, so the
 * order of requests does not matter.
 */
export class Corpus {
  /** Whether some mentions are broadcast again. */
  readonly reairings: boolean;
  #people: People | undefined;
  #bills: readonly Bill[] | undefined;
  #programs: readonly Program[] | undefined;
  #mentions: readonly Mention[] | undefined;

  /**
   * @param seed any safe integer
   * @param size number of mentions, from 0; re-airings come on top
   */
  constructor(
    readonly seed: number,
    readonly size: number,
    { reairings = false }: { reairings?: boolean } = {},
  ) {
    this.reairings = reairings;
  }

  /** Everyone, in the order of GET /people. */
  get people(): People {
    this.#people ??= makePeople(this.seed);
    return this.#people;
  }

  /** Newest Congress first. */
  get bills(): readonly Bill[] {
    this.#bills ??= makeBills(this.seed);
    return this.#bills;
  }

  /** Oldest first. */
  get programs(): readonly Program[] {
    this.#programs ??= makePrograms(this.seed, this.people, this.bills);
    return this.#programs;
  }

  /** Newest first; ties by id. */
  get mentions(): readonly Mention[] {
    this.#mentions ??= this.#makeMentions();
    return this.#mentions;
  }
  #makeMentions(): readonly Mention[] {
    const mentions = makeMentions(this.seed, this.size, this.programs, this.bills, this.people);
    if (this.reairings) mentions.push(...makeReairings(this.seed, mentions, this.programs));
    // Stable, so ties stay in the order of their ids.
    return mentions.sort((a, b) => b.begin - a.begin);
  }
}
