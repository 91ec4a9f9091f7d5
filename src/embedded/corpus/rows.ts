/** A row of GET /bills. */
export interface BillRow {
  /** Digits without a prefix, e.g. "5376". */
  billnumber: string;
  billtitle: string;
  link: string;
  congress: number;
  id: number;
}

/** A row of GET /mentions. */
export interface MentionRow {
  /** UTC, to the second, e.g. "2024-04-27T02:35:35Z". */
  begintime: string;
  /** A string of digits. */
  id: string;
  link: string;
  /** The speaker's name, sometimes followed by titles, comma-separated. */
  person: string;
  programPublicId: string;
  programTitle: string;
  /** Captions, mostly upper case. */
  text: string;
  /** Seconds. */
  length: number;
  /** 999999 for an unidentified speaker; absent in some rows. */
  personid?: number;
  programid: number;
  videoTypeId: number;
  /** The speaker's title; only with the option `personTitles`. */
  person_title?: string;
}

/** A row of GET /people. */
export interface PersonRow {
  firstName: string;
  imagePath: string;
  lastName: string;
  name: string;
  personLink: string;
  /** Empty for most people. */
  publicId: string;
  title: string;
  id: number;
}

/** A row of GET /programs/search. */
export interface ProgramRow {
  title: string;
  description: string;
  date: string;
  imagePath: string;
  jwplayerId: string;
  videoLink: string;
  id: number;
}
