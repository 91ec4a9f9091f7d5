import type { MemberType } from "../../pages/rows.js";

/** The declared columns of an operation, in order, with the type of their values. */
export type DeclaredColumns = Readonly<Record<string, MemberType>>;

export const bill = {
  /** Id of the bill. */
  id: "int",
  /** Number of the Congress, for example `117`. */
  congress: "int",
  /** Number of the bill: digits without a prefix, for example `"5376"`. */
  billnumber: "string",
  /** Title of the bill. */
  billtitle: "string",
  /** URL of the bill. */
  link: "string",
} as const satisfies DeclaredColumns;

export const mention = {
  /** Id of the mention: a string of digits. */
  id: "string",
  /** Start of the mention: UTC, as sent `"2024-04-27T02:35:35Z"`. */
  begintime: "datetime",
  /** Length in seconds. */
  length: "int",
  /** Id of the speaker, as in `people`; 999999 if the speaker is not identified. */
  personid: "int",
  /** Name of the speaker, sometimes followed by titles, separated by commas. */
  person: "string",
  /** Captions of what was said, mostly in upper case. */
  text: "string",
  /** Numeric id of the program, as `program` accepts it. */
  programid: "int",
  /** Public id of the program, for example `"556839-1"`. */
  programPublicId: "string",
  /** Title of the program. */
  programTitle: "string",
  /** Number of the type of video, for example `18` for a debate. */
  videoTypeId: "int",
  /** URL of the video at the start of the mention. */
  link: "string",
} as const satisfies DeclaredColumns;

export const person = {
  /** Internal id of the person: the `personid` of mentions. */
  id: "int",
  /** Full name, for example `"Nancy Pelosi"`. */
  name: "string",
  /** First name, in lower case. */
  firstName: "string",
  /** Last name, in lower case. */
  lastName: "string",
  /** Titles, separated by commas, for example `"U.S. Representative"`. */
  title: "string",
  /** Public id of the person; empty for most people. */
  publicId: "string",
  /** URL of the person's page. */
  personLink: "string",
  /** URL of a picture of the person. */
  imagePath: "string",
} as const satisfies DeclaredColumns;

export const program = {
  /** Numeric id of the program: the `programid` of mentions. */
  id: "int",
  /** Title of the program. */
  title: "string",
  /** Start of the program: UTC, as sent `"2026-06-18T14:37:56Z"`. */
  date: "datetime",
  /** Description of the program. */
  description: "string",
  /** URL of the video. */
  videoLink: "string",
  /** URL of a still image. */
  imagePath: "string",
  /** Id of the video in the player of the service. */
  jwplayerId: "string",
} as const satisfies DeclaredColumns;

export const programDetails = {
  ...program,
  /** Public id of the program, for example `"556839-1"`. */
  publicId: "string",
  /** Length of the video in seconds. */
  videoDuration: "int",
} as const satisfies DeclaredColumns;
