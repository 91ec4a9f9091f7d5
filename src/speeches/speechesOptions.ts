import type { CallOptions, ResultOptions } from "../call/callOptions.js";
import type { Chamber } from "../members/speakers.js";

/**
 * A bill to find the speeches on: its title, its number or both, or queries of your own.
 *
 * @example
 * const bills: BillQuery[] = [
 *   { title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 },
 *   { variants: ['"chips act"'], congress: 117 },
 * ];
 * const frame = await archive.speechesOnBill(bills);
 */
export interface BillQuery {
  /** The title. It is searched as a phrase: "Inflation Reduction Act". A number before it and an acronym behind it are taken off. */
  title?: string | undefined;
  /** The number with its prefix, in any spelling: "H.R. 5376", "hr5376", "hr5376-117". A number without prefix also needs a title. */
  number?: string | number | undefined;
  /** The Congress, 117 or "117th". It limits the dates, unless `mindate` or `maxdate` is given. */
  congress?: number | string | undefined;
  /** Queries to use instead of those made from title and number: `['"Inflation Reduction Act"', '"I.R.A."']`. What they find counts. */
  variants?: readonly string[] | undefined;
}

/** What `speechesOnBill` reads of a row of `archive.bills(…)`. */
export interface BillRowLike {
  billtitle?: string | null | undefined;
  billnumber?: string | number | null | undefined;
  congress?: number | string | null | undefined;
}

/**
 * Options of `archive.speechesOnBill`.
 *
 * @example
 * const options: SpeechesOptions = { chamber: "house", videotypes: ["Debate"], mindate: "2022-07-01" };
 * const frame = await archive.speechesOnBill({ title: "Inflation Reduction Act" }, options);
 */
export interface SpeechesOptions extends Omit<CallOptions, "unchecked"> {
  /** The video types to search. Default `["Speech", "Debate"]`. */
  videotypes?: readonly string[] | undefined;
  /** Only speeches on or after this day, yyyy-mm-dd. Replaces the dates of the Congress. Default: those of the Congress. */
  mindate?: string | undefined;
  /** Only speeches on or before this day, yyyy-mm-dd. Replaces the dates of the Congress. Default: those of the Congress. */
  maxdate?: string | undefined;
  /** Maximum number of rows per query and video type; 0 sends no request. Default: all. */
  maxItems?: number | undefined;
  /**
   * HTTP requests to send at most, retries and lookups of speakers included. Once they are used up, the speeches so far are the result, and
   * its verdict says so. With a cache, the same call goes on. Default: no limit.
   */
  maxRequests?: number | undefined;
  /**
   * Leave out speeches whose text hardly names the bill: 0 keeps everything that was found, 1 only what is certain. The
   * provenance counts those left out, by reason. Default 0.5.
   */
  minConfidence?: number | undefined;
  /**
   * Identify speakers without an id: by their name, if only one speaker of the call has it, or by a title behind the name ("Jane
   * Doe,U.S. Senator"). The column `speaker_from` marks them. Default true.
   */
  inferSpeakers?: boolean | undefined;
  /**
   * Whose speeches to return: "senate" (default), "house", or "any" for everyone. A member whom the data about members knows by id
   * and name counts by the chamber on the days of the speeches, others by the title that they have today. For the chamber on the
   * day of every speech, give "any", and filter the column `chamber` of `withMembers(frame)`.
   */
  chamber?: Chamber | undefined;
}

/** A bill with or without options beside its members, or a row of bills. */
export type BillAndOptions = (BillQuery & SpeechesOptions) | BillRowLike;

/** All options of speeches, of which `format` and `engine` decide the type of the result. */
export type SpeechesArguments<F, E> = SpeechesOptions & ResultOptions<F, E>;

/** A bill and all options in one object. */
export type OneBillArguments<F, E> = BillQuery & SpeechesArguments<F, E>;
