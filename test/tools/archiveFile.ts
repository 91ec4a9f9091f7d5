import type { ArchiveFile } from "../../src/embedded/data.js";
import { collectionOf } from "./collection.js";
import { Corpus } from "./corpus/corpus.js";
import { mentionRow } from "./corpus/mentions.js";
import { legislatorsOf } from "./legislators.js";

/** The content of the data file of the embedded archive: what follows from other columns is left out. */
export function archiveFile(seed: number, size: number): ArchiveFile {
  const corpus = new Corpus(seed, size, { reairings: true });
  const { people, bills, programs } = collectionOf(corpus);
  const positions = new Map(programs.map(({ row }, at) => [row.id, at]));
  const mentions = corpus.mentions.filter(({ decoy }) => decoy === undefined).map(mentionRow);
  return {
    people: columnsOf(people),
    bills: columnsOf(bills.map(({ row }) => row)),
    billNames: bills.map(({ names }) => names),
    programs: columnsOf(programs.map(({ row }) => row)),
    programDetails: columnsOf(programs.map(({ row: _, fields: __, ...details }) => details)),
    programFields: columnsOf(programs.map(({ fields: { person: _, ...fields } }) => fields)),
    mentions: columnsOf(
      mentions.map(({ begintime, id, person, text, length, personid = null, programid, videoTypeId }) => {
        return { begintime, id, person, text, length, personid, program: positions.get(programid) ?? -1, videoTypeId };
      }),
    ),
    legislators: legislatorsOf(seed),
  };
}

function columnsOf<T extends object>(rows: readonly T[]): { [Name in keyof T]: T[Name][] } {
  const names = Object.keys(rows[0] ?? {}) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])])) as {
    [Name in keyof T]: T[Name][];
  };
}
