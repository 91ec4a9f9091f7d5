import type { Captions } from "./captions.js";
import type { Decoy } from "./decoys.js";
import type { Naming } from "./naming.js";
import type { Program } from "./programs.js";
import type { MentionSpeaker } from "./speakers.js";

/** A generated mention. mentionRow() makes its row on demand. */
export interface Mention extends MentionSpeaker {
  id: number;
  /** Seconds since 1970. */
  begin: number;
  /** Seconds. */
  length: number;
  program: Program;
  videoTypeId: number;
  captions: Captions;
  /** The bills that it names; undefined for none. */
  names: readonly Naming[] | undefined;
  /** The bill that it seems to name. */
  decoy: Decoy | undefined;
  /** The earlier mention that it repeats; undefined for a first broadcast. */
  repeats: RepeatedSpeech | undefined;
}

/** How a mention repeats an earlier one: the whole speech, or a sentence or two of it. */
export type ReairingKind = "re-airing" | "clip";

/** What a mention repeats. */
export interface RepeatedSpeech {
  readonly kind: ReairingKind;
  readonly of: Mention;
}
