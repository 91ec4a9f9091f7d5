import type { BillKind } from "../corpus/billKinds.js";
import type { DecoyReason } from "../corpus/decoys.js";
import type { ReairingKind } from "../corpus/mention.js";
import type { HardCase, Named } from "../corpus/naming.js";
import type { BillRow } from "../corpus/rows.js";

/** Which mentions of an embedded archive are about which bill. */
export interface CorpusTruth {
  /** The seed of the archive. */
  readonly seed: number;
  /** The number of its mentions. */
  readonly size: number;
  /** Every bill, resolution and amendment, in the order of GET /bills. */
  readonly bills: readonly BillTruth[];
  /** The mentions that repeat another one, newest first; empty without the option `reairings`. */
  readonly reairings: readonly ReairingTruth[];
}

/** A mention that repeats an earlier one. */
export interface ReairingTruth {
  /** The id of the mention. */
  readonly id: string;
  /** The id of the first broadcast. */
  readonly of: string;
  /** The whole speech, or a part of it. */
  readonly kind: ReairingKind;
}

/** A bill and the mentions that are about it. Every other mention is about something else. */
export interface BillTruth {
  /** The id of its row in GET /bills. */
  readonly id: number;
  /** The number of the Congress, for example 118. */
  readonly congress: number;
  /** The kind of bill or resolution. */
  readonly kind: BillKind;
  /** As one types it: "H.R. 5376", "S.J. Res. 10", "S. Amdt. 5194". */
  readonly number: string;
  /** With all its letters, as people say it. Empty for amendments, which have no title. */
  readonly title: string;
  /** As GET /bills sends it: with lost letters, often without link. Null for amendments, which it does not list. */
  readonly row: BillRow | null;
  /** The mentions that name it, newest first. A bill with a companion of the same title shares those that say the title only. */
  readonly speeches: readonly SpeechTruth[];
  /** Mentions that were written to look as if they named it, newest first. */
  readonly decoys: readonly DecoyTruth[];
}

/** A mention that names a bill. */
export interface SpeechTruth {
  /** The id of the mention. */
  readonly id: string;
  /** What of the bill it says. */
  readonly named: Named;
  /** What makes it hard to link; empty for an easy one. */
  readonly hard: readonly HardCase[];
  /** The name of its video type. */
  readonly videotype: string;
  /** Who speaks. */
  readonly speaker: SpeakerTruth;
}

/** A mention that only looks as if it named a bill. */
export interface DecoyTruth {
  /** The id of the mention. */
  readonly id: string;
  /** "companion": it says the title with the number of the bill in the other chamber. */
  readonly why: DecoyReason | "companion";
}

/** What a speaker is in a program. */
export type SpeakerRole = "senator" | "representative" | "presiding officer" | "clerk" | "witness" | "host" | "caller";

/** Who spoke, also where the row of the mention does not say. */
export interface SpeakerTruth {
  /** Null for callers, who are not in GET /people. */
  readonly personid: number | null;
  /** The full name. */
  readonly name: string;
  /** As in GET /people; empty for callers. */
  readonly title: string;
  /** The part the speaker plays in the program. */
  readonly role: SpeakerRole;
  /** Of Congress, at the time. */
  readonly member: boolean;
  /** Of a member. */
  readonly chamber: "senate" | "house" | null;
  /** The row of the mention has the id. */
  readonly identified: boolean;
}
