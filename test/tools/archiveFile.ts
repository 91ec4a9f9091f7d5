import { collectionOf } from "./collection.js";
import { Corpus } from "./corpus/corpus.js";
import { mentionRow } from "./corpus/mentions.js";
import type { ArchiveFile } from "./embedded.js";
import { legislatorsOf } from "./legislators.js";

/** The content of the data file of the embedded archive. */
export function archiveFile(seed: number, size: number): ArchiveFile {
  const corpus = new Corpus(seed, size, { reairings: true });
  const { videoTypes, people, bills, programs } = collectionOf(corpus);
  const mentions = corpus.mentions.filter(({ decoy }) => decoy === undefined).map(mentionRow);
  return { videoTypes, people, bills, programs, mentions, legislators: legislatorsOf(seed) };
}
