/** A sort key of programs and its direction. */
type SortTerm = "date desc" | "date asc" | "popular desc" | "popular asc";

/** The order of programs: one term, or two, where the second one breaks ties of the first. */
export type ProgramSort = SortTerm | `${SortTerm},${SortTerm}` | `${SortTerm}, ${SortTerm}`;

// Each comment begins with the note of the same parameter in the table of operations; test/docs/hover.test.ts compares them.

/** Parameters of `bills`. */
export interface BillsParams {
  /** Word or phrase to search for. Put it in double quotes for an exact phrase: `'"clean air"'`. */
  query: string;
  /** Cursor of the page to start from, as `provenanceOf(frame).cursor` returns it. Default: the first page. */
  cursor?: string | null | undefined;
}

/** Parameters of `mentions`. */
export interface MentionsParams {
  /** Word or phrase to search for. Put it in double quotes for an exact phrase: `'"climate change"'`. */
  query: string;
  /**
   * Rows per page. Default: 20, the service's default; with `maxItems` and in scans, the client's `pageSize`. To get more
   * rows than one page has, set `maxItems`.
   */
  limit?: number | null | undefined;
  /** Cursor of the page to start from, as `provenanceOf(frame).cursor` returns it. Default: the first page. */
  cursor?: string | null | undefined;
  /** Id of the speaker: the `id` of a row of `people`, for example `6153`. Default: every speaker. */
  personid?: number | string | null | undefined;
  /** Day of the mention, yyyy-mm-dd in UTC, for example `"2024-02-29"`. Default: every day. */
  date?: string | null | undefined;
  /** Last day of the mentions (inclusive), yyyy-mm-dd in UTC, for example `"2024-12-31"`. Default: no upper bound. */
  maxdate?: string | null | undefined;
  /** First day of the mentions (inclusive), yyyy-mm-dd in UTC, for example `"2024-01-01"`. Default: no lower bound. */
  mindate?: string | null | undefined;
  /**
   * Congress of the mentions, for example `117`: sets `mindate` and `maxdate` to its first and last day, `2021-01-03` and
   * `2023-01-02`. Default: every Congress.
   */
  congress?: number | string | null | undefined;
  /** Number of the page to start from, counted from 1, in pages of `limit` rows or of the service's default. Default: 1. */
  page?: number | null | undefined;
  /** Type of video, for example `"Speech"` or `"Debate"`. Default: every type. */
  videotype?: string | null | undefined;
}

/** Parameters of `people`. All of them are optional. */
export interface PeopleParams {
  /** Name or title to match, for example `"Pelosi"`. */
  query?: string | null | undefined;
  /** First name to match, for example `"Nancy"`. */
  first?: string | null | undefined;
  /** Last name to match, for example `"Pelosi"`. */
  last?: string | null | undefined;
  /** Cursor of the page to start from, as `provenanceOf(frame).cursor` returns it. Default: the first page. */
  cursor?: string | null | undefined;
}

/** Parameters of `person`. */
export interface PersonParams {
  /** Internal or public id of the person, for example `6153`. An unknown id returns no rows. */
  id: number | string;
}

/** Parameters of `programsSearch`. */
export interface ProgramsSearchParams {
  /**
   * Lucene query over the fields abstract, category, date, format, isbn, location, person, personid, series, sponsor,
   * subject, tag, text. For example `"text:climate AND category:Senate"`. The service fails on date ranges.
   */
  query: string;
  /** Cursor of the page to start from, as `provenanceOf(frame).cursor` returns it. Default: the first page. */
  cursor?: string | null | undefined;
  /** Sort order: popular or date, with a direction, for example `"date desc"`. Default: the order of the service. */
  sort?: ProgramSort | null | undefined;
}

/** Parameters of `program`. */
export interface ProgramParams {
  /** Numeric id of the program, for example `683870`. The service refuses public ids such as `"556839-1"`. */
  id: number | string;
}
