import type { TableName } from "../tablePaths.js";

/** What a column means. */
export interface Meaning {
  readonly meaning: string;
  /** Unit of the values. */
  readonly unit?: string;
}

const DAY = "day in UTC";

const PEOPLE: Readonly<Record<string, Meaning>> = {
  id: { meaning: "Id of the person: the `personid` of mentions" },
  name: { meaning: "Full name" },
  firstName: { meaning: "First name, in lower case" },
  lastName: { meaning: "Last name, in lower case" },
  title: { meaning: "Titles, separated by commas" },
  publicId: { meaning: "Public id of the person; empty for most people" },
  personLink: { meaning: "URL of the person's page" },
  imagePath: { meaning: "URL of a picture of the person" },
  resolved: { meaning: "Whether the service knows this id" },
};

const PROGRAMS: Readonly<Record<string, Meaning>> = {
  id: { meaning: "Id of the program: the `programid` of mentions" },
  title: { meaning: "Title of the program" },
  date: { meaning: "Start of the program", unit: "UTC" },
  description: { meaning: "Description of the program" },
  videoLink: { meaning: "URL of the video" },
  imagePath: { meaning: "URL of a still image" },
  jwplayerId: { meaning: "Id of the video in the player of the service" },
  publicId: { meaning: "Public id of the program" },
  videoDuration: { meaning: "Length of the video", unit: "s" },
  resolved: { meaning: "Whether the service knows this id" },
};

/** The meanings of the columns of each table. Columns that the service added on its own are not here. */
export const MEANINGS: Readonly<Record<TableName, Readonly<Record<string, Meaning>>>> = {
  mentions: {
    id: { meaning: "Id of the mention: a string of digits" },
    begintime: { meaning: "Start of the mention", unit: "UTC" },
    length: { meaning: "Length of the mention", unit: "s" },
    personid: { meaning: "Id of the speaker: the `id` of people. 999999 if the speaker is not identified" },
    person: { meaning: "Name of the speaker, sometimes followed by titles, separated by commas" },
    text: { meaning: "Captions of what was said, mostly in upper case" },
    programid: { meaning: "Id of the program: the `id` of programs" },
    programPublicId: { meaning: "Public id of the program" },
    programTitle: { meaning: "Title of the program" },
    videoTypeId: { meaning: "Number of the type of video" },
    link: { meaning: "URL of the video at the start of the mention" },
    content_sha256: { meaning: "SHA-256 of the mention as the service sent it, for `corpus hydrate`" },
    first_seen: { meaning: "Day of the first response with the mention", unit: DAY },
    changed: { meaning: "Day of the first response with the current content, if there was another before", unit: DAY },
    vanished: { meaning: "Day since when no search finds the mention any more", unit: DAY },
  },
  hits: {
    search: { meaning: "Id of the search: the `search` of searches" },
    window: { meaning: "The window in which the search first found the mention" },
    id: { meaning: "Id of the mention: the `id` of mentions" },
    begintime: { meaning: "Start of the mention", unit: "UTC" },
    first_seen: { meaning: "Day of the first response to this search with the mention", unit: DAY },
    vanished: { meaning: "Day since when the search does not find the mention any more", unit: DAY },
  },
  people: PEOPLE,
  programs: PROGRAMS,
  searches: {
    search: { meaning: "Id of the search, from its parameters" },
    window: { meaning: "Name of the window, the part of the search that one series of requests covers" },
    query: { meaning: "Word or phrase that was searched for" },
    parameters: { meaning: "Parameters of the search, as JSON" },
    mindate: { meaning: "First day of the window", unit: "day" },
    maxdate: { meaning: "Last day of the window", unit: "day" },
    rows: { meaning: "Rows that the service returned" },
    verdict: { meaning: "Whether the rows are complete" },
    reason: { meaning: "Why they are not complete" },
    requests: { meaning: "Requests for these rows, retries included" },
    retrieved: { meaning: "Day of the last response", unit: DAY },
  },
};
