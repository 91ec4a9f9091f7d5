import type { CallOptions, ResultOptions } from "../call/callOptions.js";
import type { Chamber } from "../members/speakers.js";

/**
 * A bill: its title, its number or both, or queries of your own.
 *
 * @example
 * const bills: BillQuery[] = [
 *   { title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 },
 *   { variants: ['"chips act"'], congress: 117 },
 * ];
 * const frame = await archive.speechesOnBill(bills);
 */
export interface BillQuery {
  /** The title, searched as a phrase. */
  title?: string | undefined;
  /** The number with its prefix, in any spelling: "H.R. 5376", "hr5376", "hr5376-117". A number without prefix also needs a title. */
  number?: string | number | undefined;
  /** The Congress, 117 or "117th": limits the dates, unless `mindate` or `maxdate` is given. */
  congress?: number | string | undefined;
  /** Queries to use instead of those made from title and number. Everything that they find counts. */
  variants?: readonly string[] | undefined;
}

/** What `speechesOnBill` reads of a row of `archive.bills(…)`. */
export interface BillRowLike {
  billtitle?: string | null | undefined;
  billnumber?: string | number | null | undefined;
  congress?: number | string | null | undefined;
}

/** Options of `archive.speechesOnBill`. */
export interface SpeechesOptions extends Omit<CallOptions, "unchecked"> {
  /** The video types to search. Default `["Speech", "Debate"]`. */
  videotypes?: readonly string[] | undefined;
  /** First day of the speeches, yyyy-mm-dd. Default: the first day of the Congress. */
  mindate?: string | undefined;
  /** Last day of the speeches, yyyy-mm-dd. Default: the last day of the Congress. */
  maxdate?: string | undefined;
  /** Rows per query and video type at most; 0 sends no request. Default: all. */
  maxItems?: number | undefined;
  /** HTTP requests at most, lookups of speakers included; the result then has the speeches so far. Default: no limit. */
  maxRequests?: number | undefined;
  /** Leave out speeches with less `confidence`: 0 keeps everything, 1 only what is certain. Default 0.5. */
  minConfidence?: number | undefined;
  /**
   * Identify speakers without an id by a name that only one speaker of the call has, or by a title behind the name ("Jane Doe,U.S.
   * Senator"). See `speaker_from`. Default true.
   */
  inferSpeakers?: boolean | undefined;
  /**
   * Whose speeches to return: "senate" (default), "house", or "any" for everyone. Known members count by the chamber on the days of their
   * speeches, others by the title that they have today. For the chamber on the day of every speech, use "any" and `withMembers(frame)`.
   */
  chamber?: Chamber | undefined;
}

/** A bill with or without options beside its members, or a row of bills. */
export type BillAndOptions = (BillQuery & SpeechesOptions) | BillRowLike;

/** All options of speeches, of which `format` and `engine` decide the type of the result. */
export type SpeechesArguments<F, E> = SpeechesOptions & ResultOptions<F, E>;

/** A bill and all options in one object. */
export type OneBillArguments<F, E> = BillQuery & SpeechesArguments<F, E>;
