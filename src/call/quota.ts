import { ledgerOf } from "../service/http/ledger.js";
import { type ClientOptions, resolveOptions } from "../service/http/options.js";

/** Requests per UTC day. Every HTTP request counts, including retries and refused requests. */
export interface Spent {
  /** Requests sent today. */
  today: number;
  /** Requests refused with 429 today. */
  refusedToday: number;
  /** Requests sent today and on the previous six days. */
  last7Days: number;
  /** Requests refused with 429 in those seven days. */
  refusedLast7Days: number;
}

/** The result of {@link quota}: totals, and the same per study. */
export interface SpentByStudy extends Spent {
  /** A study is everything that ran in directories of the same name. Sorted by requests today, most first. */
  studies: Array<{ study: string } & Spent>;
}

/**
 * Returns the requests sent with a key today and in the last seven days, by all processes of this user on this machine: notebooks,
 * scripts, commands, even killed runs. Every process appends to a file in the user's cache directory within a second; the file does
 * not contain the key. Requests with `ledger: false` or `ARCHIVE_LEDGER=off`, and those to the embedded archive, are not counted.
 *
 * @param options the key and the service; default from the environment
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
