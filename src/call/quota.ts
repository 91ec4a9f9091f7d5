import { ledgerOf } from "../service/http/ledger.js";
import { type ClientOptions, resolveOptions } from "../service/http/options.js";

/** Requests, in days of UTC. Every HTTP request counts, retries and refused ones too. */
export interface Spent {
  /** Requests sent today. */
  today: number;
  /** Those of today that the service refused with 429. */
  refusedToday: number;
  /** Requests sent today and on the six days before. */
  last7Days: number;
  /** Those of the seven days that the service refused with 429. */
  refusedLast7Days: number;
}

/** What {@link quota} returns: the sums over all studies, and each study. */
export interface SpentByStudy extends Spent {
  /** A study is all that ran in directories of the same name. Those that sent most requests today come first. */
  studies: Array<{ study: string } & Spent>;
}

/**
 * What a key has spent today and in the last seven days, over all processes of this user on this machine: notebooks, scripts, commands,
 * plans, checks of the key, runs that were killed. Every process adds to a file in the cache directory of the user, at the latest after a
 * second; the file does not have the key. Nothing is counted with `ledger: false` or `ARCHIVE_LEDGER=off`, and nothing for the embedded
 * archive.
 *
 * @param options the key and the service; default those of the environment
 * @throws AuthenticationError without a key
 * @example
 * quota({ apiKey: "my-key" }).today; //=> 0
 */
export function quota(options: Pick<ClientOptions, "apiKey" | "baseUrl" | "allowInsecure"> = {}): SpentByStudy {
  const ledger = ledgerOf({ ...resolveOptions(options), ledger: true });
  ledger?.flush();
  const nothing = (): Spent => ({ today: 0, refusedToday: 0, last7Days: 0, refusedLast7Days: 0 });
  const total = nothing();
  const studies = new Map<string, { study: string } & Spent>();
  for (let ago = 0; ago < 7; ago++) {
    for (const [study, sent, refused] of ledger?.lines(ago) ?? []) {
      const own = studies.get(study) ?? { study, ...nothing() };
      studies.set(study, own);
      for (const sum of [own, total]) {
        sum.last7Days += sent;
        sum.refusedLast7Days += refused;
        if (ago > 0) continue;
        sum.today += sent;
        sum.refusedToday += refused;
      }
    }
  }
  const order = (a: Spent, b: Spent) => b.today - a.today || b.last7Days - a.last7Days;
  return { ...total, studies: [...studies.values()].sort(order) };
}
