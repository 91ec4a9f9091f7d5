import { warn } from "../../errors/warn.js";
import type { Requester } from "../../service/http/requester.js";
import type { CorpusState } from "../state/corpusState.js";

const HOUR = 3_600_000;

/** The clock of the service, as the `Date` of its responses says. It decides which days have ended. */
export class ServiceClock {
  /** Whether a response of this run has said what time it is: the clock of this computer may have been set since the run before. */
  isKnown = false;
  #hasWarned = false;

  /** @param offset milliseconds by which the service is ahead of this computer, as far as is known from earlier runs */
  constructor(public offset: number) {}

  /** A time of this computer by the clock of the service, as ISO 8601 in UTC. */
  at(time: string | number): string {
    return new Date(new Date(time).getTime() + this.offset).toISOString();
  }

  /** Today by the clock of the service, yyyy-mm-dd. */
  today(): string {
    return this.at(Date.now()).slice(0, 10);
  }

  /** Keeps the difference for later runs, which date the responses of this one. */
  async save(state: CorpusState): Promise<void> {
    await state.run(`insert or replace into meta values ('clock', '${this.offset}')`);
  }

  /** A requester that learns the clock from its responses. */
  watching(requester: Requester): Requester {
    return {
      request: async (path, query, context) => {
        const response = await requester.request(path, query, context);
        const date = Date.parse(response.headers.date ?? "");
        if (!Number.isNaN(date) && response.cached !== true) this.#learn(date - response.receivedAt.getTime());
        return response;
      },
    };
  }

  #learn(ahead: number): void {
    this.isKnown = true;
    this.offset = Math.abs(ahead) > HOUR ? ahead : 0;
    if (this.offset === 0 || this.#hasWarned) return;
    this.#hasWarned = true;
    const hours = Math.round(ahead / HOUR);
    const which = hours > 0 ? `${hours} hours behind` : `${-hours} hours ahead of`;
    warn(
      "CLOCK_DIFFERS",
      `The clock of this computer is ${which} that of the service, which decides what days have ended. Set the clock.`,
    );
  }
}
