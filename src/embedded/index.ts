// The archive service inside this process: for examples, tests and notebooks without a key.
export type { BillKind } from "./corpus/billKinds.js";
export type { DecoyReason } from "./corpus/decoys.js";
export type { ReairingKind } from "./corpus/mention.js";
export type { HardCase, Named } from "./corpus/naming.js";
export { type EmbeddedLegislator, type EmbeddedTerm, embeddedLegislators } from "./members/embeddedLegislators.js";
export type { EmbeddedArchiveOptions, QuotaOptions } from "./options.js";
export { type EmbeddedArchive, startEmbeddedArchive } from "./startEmbeddedArchive.js";
export { corpusTruth } from "./truth/corpusTruth.js";
export { type FoundSpeeches, type SpeechScore, scoreSpeeches } from "./truth/scoreSpeeches.js";
export type {
  BillTruth,
  CorpusTruth,
  DecoyTruth,
  ReairingTruth,
  SpeakerRole,
  SpeakerTruth,
  SpeechTruth,
} from "./truth/truthTypes.js";
