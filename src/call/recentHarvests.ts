import type { AnyHarvest } from "../errors/index.js";

/** Number of harvests kept. */
const MAX_HARVESTS = 20;

/** Number of rows kept besides the newest harvest, so that a long run does not accumulate its frames. */
const MAX_ROWS = 200_000;

/** The newest harvests of a client: a call in a list of calls may fail after others have fetched all their rows. */
export class RecentHarvests {
  #harvests: AnyHarvest[] = [];

  /** Newest first. */
  get all(): readonly AnyHarvest[] {
    return this.#harvests;
  }

  add(harvest: AnyHarvest): void {
    let rows = -harvest.rows;
    const fits = (each: AnyHarvest) => {
      rows += each.rows;
      return rows <= MAX_ROWS;
    };
    this.#harvests = [harvest, ...this.#harvests].slice(0, MAX_HARVESTS).filter(fits);
  }
}
