import type { BillRow, MentionRow, PersonRow, ProgramRow } from "../service/operations/interfaces.js";

/** A row of the service with every declared member, and no others. */
export type FullRow<T> = { [Name in keyof T as string extends Name ? never : Name]-?: NonNullable<T[Name]> };

/** A bill, and the names by which GET /bills finds it: with all letters of the title, and in the spellings of its number. */
export interface Bill {
  readonly row: FullRow<BillRow>;
  readonly names: readonly string[];
}

/** A program, what its lookup adds, and what is searched, by field of a query or "title". */
export interface Program {
  readonly row: FullRow<ProgramRow>;
  readonly publicId: string;
  readonly videoDuration: number;
  /** Number of views; `sort=popular` sorts by it. */
  readonly views: number;
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

/** A mention; some rows have no `personid`. */
export type Mention = Omit<FullRow<MentionRow>, "personid"> & { readonly personid?: number };

/** What a server serves. */
export interface Collection {
  /** Cursors belong to it. */
  readonly name: string;
  /** Their numbers by name: `videotype` of a request, `videoTypeId` of a mention. */
  readonly videoTypes: Readonly<Record<string, number>>;
  /** In the order of GET /people. */
  readonly people: ReadonlyArray<FullRow<PersonRow>>;
  /** Newest Congress first. */
  readonly bills: readonly Bill[];
  /** Oldest first. */
  readonly programs: readonly Program[];
  /** Newest first. */
  readonly mentions: readonly Mention[];
}
