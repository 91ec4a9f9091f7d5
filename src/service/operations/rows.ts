/** A row of any operation, as the service sent it. Any declared member may be missing, and others may be added. */
export interface Row {
  [member: string]: unknown;
}

/** A row of `bills`: one bill. */
export interface BillRow extends Row {
  /** Id of the bill. */
  id?: number | null;
  /** Number of the Congress, for example `117`. */
  congress?: number | null;
  /** Number of the bill: digits without a prefix, for example `"5376"`. */
  billnumber?: string | null;
  /** Title of the bill. */
  billtitle?: string | null;
  /** URL of the bill. */
  link?: string | null;
}

/** A row of `mentions`: what one person said in a program. */
export interface MentionRow extends Row {
  /** Id of the mention: a string of digits. */
  id?: string | null;
  /** Start of the mention: UTC, ISO 8601, for example `"2024-04-27T02:35:35Z"`. Datetime in a frame. */
  begintime?: string | null;
  /** Length in seconds. */
  length?: number | null;
  /** Id of the speaker: the `id` of `people`. `999999` if the speaker is not identified. */
  personid?: number | null;
  /** Name of the speaker, sometimes followed by titles, separated by commas. */
  person?: string | null;
  /** Captions of what was said, mostly in upper case. */
  text?: string | null;
  /** Numeric id of the program, as `program` accepts it. */
  programid?: number | null;
  /** Public id of the program, for example `"556839-1"`. */
  programPublicId?: string | null;
  /** Title of the program. */
  programTitle?: string | null;
  /** Number of the type of video, for example `18` for a debate. */
  videoTypeId?: number | null;
  /** URL of the video at the start of the mention. */
  link?: string | null;
}

/** A row of `people` and `person`: one person. */
export interface PersonRow extends Row {
  /** Internal id of the person: the `personid` of mentions. */
  id?: number | null;
  /** Full name, for example `"Nancy Pelosi"`. */
  name?: string | null;
  /** First name, in lower case. */
  firstName?: string | null;
  /** Last name, in lower case. */
  lastName?: string | null;
  /** Titles, separated by commas, for example `"U.S. Representative"`. */
  title?: string | null;
  /** Public id of the person; empty for most people. */
  publicId?: string | null;
  /** URL of the person's page. */
  personLink?: string | null;
  /** URL of a picture of the person. */
  imagePath?: string | null;
}

/** A row of `programsSearch`: one program. */
export interface ProgramRow extends Row {
  /** Numeric id of the program: the `programid` of mentions. */
  id?: number | null;
  /** Title of the program. */
  title?: string | null;
  /** Start of the program: UTC, ISO 8601, for example `"2026-06-18T14:37:56Z"`. Datetime in a frame. */
  date?: string | null;
  /** Description of the program. */
  description?: string | null;
  /** URL of the video. */
  videoLink?: string | null;
  /** URL of a still image. */
  imagePath?: string | null;
  /** Id of the video in the player of the service. */
  jwplayerId?: string | null;
}

/** The row of `program`: a lookup has two more columns than a search. */
export interface ProgramDetailsRow extends ProgramRow {
  /** Public id of the program, for example `"556839-1"`. */
  publicId?: string | null;
  /** Length of the video in seconds. */
  videoDuration?: number | null;
}
