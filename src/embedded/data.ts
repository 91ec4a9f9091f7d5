import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { LegislatorRecord } from "../members/legislator.js";
import { sha256Of } from "../util/sha256Of.js";
import type { Bill, Collection, Mention, Program } from "./collection.js";

/** Rows by columns, which compress best; each list has an element per row. */
type Columns<T> = { readonly [Name in keyof T]: ReadonlyArray<T[Name]> };

/** The content of the data file, which `test/tools/writeArchive.mjs` writes, without what follows from other columns. */
export interface ArchiveFile {
  readonly people: Columns<Collection["people"][number]>;
  readonly bills: Columns<Bill["row"]>;
  readonly billNames: ReadonlyArray<Bill["names"]>;
  readonly programs: Columns<Program["row"]>;
  readonly programDetails: Columns<Omit<Program, "row" | "fields">>;
  /** Without `person`, which follows from `personid`. */
  readonly programFields: Columns<Program["fields"]>;
  /** `program` is a position; `personid` is null in a row without it. */
  readonly mentions: Columns<
    Pick<Mention, "begintime" | "id" | "person" | "text" | "length" | "videoTypeId"> & {
      readonly personid: number | null;
      readonly program: number;
    }
  >;
  readonly legislators: readonly LegislatorRecord[];
}

let file: Buffer | undefined;
let content: ArchiveFile | undefined;

function bytes(): Buffer {
  file ??= readFileSync(new URL("./archive.json.gz", import.meta.url));
  return file;
}

/** It is read on the first request: a start takes no time. */
function read(): ArchiveFile {
  // The file has no other characters, and texts of one byte per character are parsed faster.
  content ??= JSON.parse(gunzipSync(bytes()).toString("latin1")) as ArchiveFile;
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
  const { people, bills, billNames, programs, programDetails, programFields, mentions } = read();
  const persons = rowsOf(people);
  const names = new Map(persons.map(({ id, name }) => [String(id), name]));
  const fields = rowsOf(programFields).map((values) => ({
    ...values,
    person: values.personid?.map((id) => names.get(id) ?? "") ?? [],
  }));
  const details = rowsOf(programDetails);
  const shows = rowsOf(programs).map((row, at) => ({ row, fields: fields[at], ...details[at] }) as Program);
  return {
    name: embeddedSource(),
    people: persons,
    bills: rowsOf(bills).map((row, at) => ({ row, names: billNames[at] ?? [] })),
    programs: shows,
    mentions: rowsOf(mentions).map(({ program, personid, ...columns }) => {
      const { publicId, row } = shows[program] as Program;
      return {
        begintime: columns.begintime,
        id: columns.id,
        link: `https://archive.example/video/?c${columns.id}`,
        person: columns.person,
        programPublicId: publicId,
        programTitle: row.title,
        text: columns.text,
        length: columns.length,
        ...(personid !== null && { personid }),
        programid: row.id,
        videoTypeId: columns.videoTypeId,
      };
    }),
  };
}

function rowsOf<T>(columns: Columns<T>): T[] {
  const entries = Object.entries<readonly unknown[]>(columns);
  const [[, first = []] = []] = entries;
  return first.map((_, at) => Object.fromEntries(entries.map(([name, values]) => [name, values[at]])) as T);
}
