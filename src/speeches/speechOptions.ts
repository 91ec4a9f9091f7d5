import type { CallOptions } from "../call/callOptions.js";
import type { Chamber } from "./chamber.js";

/** What can be said of a bill to find the speeches on. */
interface BillMembers {
  /** The title; it is searched as a phrase: "Inflation Reduction Act". */
  title?: string | undefined;
  /** The number with its prefix, in any spelling: "H.R. 5376", "hr5376". Digits alone are searched only with a title. */
  number?: string | number | undefined;
  /** The Congress, 117 or "117th": it limits the dates, unless `mindate` or `maxdate` is given. */
  congress?: number | string | undefined;
  /** Queries by hand, in place of those made from title and number. */
  variants?: readonly string[] | undefined;
}

/** A bill to find the speeches on: title, number or both, or queries by hand. */
export type BillToFind = BillMembers & AnyOf<BillMembers, "title" | "number" | "variants">;

/** At least one of these members is there. */
type AnyOf<T, K extends keyof T> = { [P in K]: { readonly [Q in P]: NonNullable<T[Q]> } }[K];

/** A row of `archive.bills(…)`: its `billtitle`, `billnumber` and `congress` say what to find. */
export interface BillFound {
  billtitle?: string | null | undefined;
  billnumber?: string | number | null | undefined;
  congress?: number | string | null | undefined;
  id?: number | string | null | undefined;
  link?: string | null | undefined;
}

/** Refuses the type of a row that has neither a title nor a number; either may be null, or missing in some rows. */
export type NamesBill<B> = "billtitle" extends keyof B ? unknown : "billnumber" extends keyof B ? unknown : never;

/** Options of `archive.speechesOnBill`. */
export interface SpeechOptions extends Omit<CallOptions, "unchecked"> {
  /** The types of video that are searched. Default `["Speech", "Debate"]`. */
  videotypes?: readonly string[] | undefined;
  /** Only what was said on or after this day, yyyy-mm-dd. The Congress then limits nothing. */
  mindate?: string | undefined;
  /** Only what was said on or before this day, yyyy-mm-dd. The Congress then limits nothing. */
  maxdate?: string | undefined;
  /** Rows of one query variant and video type at most; 0 asks for nothing. Default: all. */
  maxItems?: number | undefined;
  /** Whose speeches are kept: "senate" (default), "house", or "any" for everyone. */
  chamber?: Chamber | undefined;
  /** A speaker whose look-up fails is listed as unresolved instead of failing the call. Default false. */
  allowUnresolved?: boolean | undefined;
}

interface SpeechRequestMembers extends BillMembers, SpeechOptions {
  /** A row of `archive.bills(…)` that says what to find; `title`, `number` and `congress` beside it go before it. */
  bill?: BillFound | BillToFind | undefined;
}

/** A bill and the options, in one object. */
export type SpeechRequest = SpeechRequestMembers &
  AnyOf<SpeechRequestMembers, "title" | "number" | "variants" | "bill">;

/** Several bills and the options, in one object. */
export interface SpeechesRequest extends SpeechOptions {
  bills: ReadonlyArray<BillFound | BillToFind>;
}
