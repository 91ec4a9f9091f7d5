export {
  type ArchiveFile,
  type Bill,
  type Collection,
  embeddedCollection,
  embeddedLegislators,
  embeddedSource,
  type FullRow,
  type Program,
} from "../../src/embedded/data.js";
export { hasPhrase, phrasesOf, searchable, words } from "../../src/embedded/lucene.js";
export { UNIDENTIFIED_SPEAKER } from "../../src/members/speakers.js";
