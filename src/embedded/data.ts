import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import type { LegislatorRecord } from "../members/legislator.js";
import type { BillRow, MentionRow, PersonRow, ProgramRow } from "../service/operations/operations.js";
import { sha256Of } from "../util/hash.js";

/** The content of the data file, which `test/tools/writeArchive.mjs` writes. */
export interface ArchiveFile extends Omit<Collection, "name"> {
  readonly legislators: readonly LegislatorRecord[];
}

let file: Buffer | undefined;
let content: ArchiveFile | undefined;

function bytes(): Buffer {
  file ??= readFileSync(new URL("./archive.json.br", import.meta.url));
  return file;
}

/** It is read on the first request: a start takes no time. */
function read(): ArchiveFile {
  // The file has no other characters, and texts of one byte per character are parsed faster.
  content ??= JSON.parse(brotliDecompressSync(bytes()).toString("latin1")) as ArchiveFile;
  return content;
}

/** The name of the embedded archive in provenance, with a hash of its data: `"embedded archive 3f2a9c1b"`. */
export function embeddedSource(): string {
  return `embedded archive ${sha256Of(bytes()).slice(0, 8)}`;
}

/** The members of its invented Congress since the 112th, as the project congress-legislators lists members. */
export function embeddedLegislators(): readonly LegislatorRecord[] {
  return read().legislators;
}

export function embeddedCollection(): Collection {
  return { ...read(), name: embeddedSource() };
}

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
