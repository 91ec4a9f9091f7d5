/**
 * What is true of the embedded archive, which is known from how its mentions were made: which are about which bill, who speaks, and
 * which are broadcast again. Any method that links speeches to bills can be measured with it. The benchmarks use it, too.
 */

import type { Bill, BillRow } from "./corpus/bills.js";
import { Corpus } from "./corpus/corpus.js";
import type { DecoyReason } from "./corpus/decoys.js";
import { type Mention, mentionRow } from "./corpus/mentions.js";
import type { HardCase, Named, Naming } from "./corpus/naming.js";
import type { People } from "./corpus/people.js";
import { VIDEO_TYPES } from "./corpus/videoTypes.js";
import type { BillKind } from "./corpus/vocabulary.js";

export { Corpus, type Mention, mentionRow };

/** Which mentions of an embedded archive are about which bill, and which repeat another one (with the option `reairings`). */
export interface CorpusTruth {
  /** Every bill, resolution and amendment, in the order of GET /bills. */
  readonly bills: readonly BillTruth[];
  /** Newest first: the id of the mention, and that of the first broadcast. */
  readonly reairings: ReadonlyArray<{ readonly id: string; readonly of: string }>;
}

/** A bill and the mentions that are about it, newest first. Every other mention is about something else. */
export interface BillTruth {
  readonly id: number;
  readonly congress: number;
  readonly kind: BillKind;
  /** As one types it: "H.R. 5376", "S.J. Res. 10", "S. Amdt. 5194". */
  readonly number: string;
  /** With all its letters, as people say it. Empty for amendments, which have no title. */
  readonly title: string;
  /** As GET /bills sends it: with lost letters, often without link. Null for amendments, which it does not list. */
  readonly row: BillRow | null;
  /** A bill with a companion of the same title shares the mentions that say the title only. */
  readonly speeches: readonly SpeechTruth[];
  /** Mentions that were written to look as if they named it. "companion": the title with the number of the companion. */
  readonly decoys: ReadonlyArray<{ readonly id: string; readonly why: DecoyReason | "companion" }>;
}

/** A mention that names a bill: what of the bill it says, and what makes it hard to link. */
export interface SpeechTruth {
  readonly id: string;
  readonly named: Named;
  readonly hard: readonly HardCase[];
  readonly videotype: string;
  readonly speaker: SpeakerTruth;
}

type DecoyTruth = BillTruth["decoys"][number];
type SpeakerRole = "senator" | "representative" | "presiding officer" | "clerk" | "witness" | "host" | "caller";

/** Who spoke, also where the row of the mention does not say. */
export interface SpeakerTruth {
  /** Null for callers, who are not in GET /people. */
  readonly personid: number | null;
  readonly name: string;
  readonly title: string;
  readonly role: SpeakerRole;
  /** Of Congress, at the time. */
  readonly member: boolean;
  readonly chamber: "senate" | "house" | null;
  /** The row of the mention has the id. */
  readonly identified: boolean;
}

/** The truth of a corpus. Takes about a second for 30,000 mentions. */
export function truthOf(corpus: Corpus): CorpusTruth {
  const speakers = new SpeakerTruths(corpus.people);
  const speeches = new Map<Bill, SpeechTruth[]>(corpus.bills.map((bill) => [bill, []]));
  const decoys = new Map<Bill, DecoyTruth[]>(corpus.bills.map((bill) => [bill, []]));
  const companions = companionsOf(corpus.bills);
  for (const mention of corpus.mentions) {
    const { decoy, names = [] } = mention;
    const id = String(mention.id);
    if (decoy) decoys.get(decoy.about)?.push({ id, why: decoy.why });
    for (const naming of names) {
      const speech = speechTruth(mention, naming, speakers);
      speeches.get(naming.bill)?.push(speech);
      // A number tells companions apart, a title does not.
      for (const other of companions.get(naming.bill) ?? []) {
        if (naming.named === "title" || naming.named === "short title" || naming.named === "acronym") {
          speeches.get(other)?.push(speech);
        } else if (naming.named === "both") decoys.get(other)?.push({ id, why: "companion" });
      }
    }
  }
  const bills = corpus.bills.map((bill): BillTruth => {
    const { row, listed, kind, number, spokenTitle: title } = bill;
    const about = { speeches: speeches.get(bill) ?? [], decoys: decoys.get(bill) ?? [] };
    return { id: row.id, congress: row.congress, kind, number, title, row: listed ? { ...row } : null, ...about };
  });
  const reairings = corpus.mentions.flatMap(({ id, repeats }) =>
    repeats === undefined ? [] : [{ id: String(id), of: String(repeats.id) }],
  );
  return { bills, reairings };
}

function speechTruth(mention: Mention, { named, hard }: Naming, speakers: SpeakerTruths): SpeechTruth {
  const speaker = speakers.of(mention);
  return {
    id: String(mention.id),
    named,
    hard: speaker.identified ? hard : [...hard, "unidentified speaker"],
    videotype: Object.entries(VIDEO_TYPES).find(([, id]) => id === mention.videoTypeId)?.[0] ?? "",
    speaker,
  };
}

/** The bills of the same Congress with the same title, by bill. Amendments have none. */
function companionsOf(bills: readonly Bill[]): Map<Bill, readonly Bill[]> {
  const byTitle = new Map<string, Bill[]>();
  for (const bill of bills) {
    const key = `${bill.row.congress} ${bill.spokenTitle}`;
    if (bill.spokenTitle !== "") byTitle.set(key, [...(byTitle.get(key) ?? []), bill]);
  }
  const same = [...byTitle.values()].filter((group) => group.length > 1);
  return new Map(
    same.flatMap((group) => group.map((bill) => [bill, group.filter((other) => other !== bill)] as const)),
  );
}

/** Knows who spoke in each mention. */
export class SpeakerTruths {
  readonly #people: People;
  readonly #senators = new Map<number, ReadonlySet<number>>();
  readonly #hosts: ReadonlySet<number>;
  readonly #clerks: ReadonlySet<number>;

  constructor(people: People) {
    this.#people = people;
    this.#hosts = new Set(people.hosts.map(({ id }) => id));
    this.#clerks = new Set(people.clerks.map(({ id }) => id));
  }

  /** Who truly spoke in a mention. */
  of({ program, truly, personid, person, presiding }: Mention): SpeakerTruth {
    if (truly === undefined) {
      const caller = { personid: null, name: person, title: "", role: "caller", chamber: null } as const;
      return { ...caller, member: false, identified: false };
    }
    const isSenator = this.#senatorsOf(program.congress).has(truly.id);
    const isMember = isSenator || truly.title.includes("U.S. Rep");
    const role = presiding ? "presiding officer" : this.#role(truly.id, isSenator, isMember);
    return {
      personid: truly.id,
      name: truly.name,
      title: truly.title,
      role,
      member: isMember,
      chamber: isMember ? (isSenator ? "senate" : "house") : null,
      identified: personid === truly.id,
    };
  }

  #role(id: number, isSenator: boolean, isMember: boolean): SpeakerRole {
    if (isMember) return isSenator ? "senator" : "representative";
    if (this.#clerks.has(id)) return "clerk";
    return this.#hosts.has(id) ? "host" : "witness";
  }

  #senatorsOf(congress: number): ReadonlySet<number> {
    const known = this.#senators.get(congress) ?? new Set(this.#people.senators(congress).map(({ id }) => id));
    this.#senators.set(congress, known);
    return known;
  }
}

/** How well a method found the speeches on some bills. Recall is 1 if nothing is expected, precision if nothing is found. */
export interface SpeechScore {
  /** Speeches that it should have found, mentions that it found, and those that are both. */
  readonly expected: number;
  readonly found: number;
  readonly correct: number;
  readonly recall: number;
  readonly precision: number;
}

/** What was found for a bill: the ids of mentions. */
export interface FoundSpeeches {
  readonly bill: Pick<BillTruth, "speeches">;
  readonly ids: Iterable<string>;
}

/** Scores a method that finds the speeches on bills. Speeches on all bills count alike, and equal ids once per bill. */
export function scoreSpeeches(results: Iterable<FoundSpeeches>): SpeechScore {
  let [expected, found, correct] = [0, 0, 0];
  for (const { bill, ids } of results) {
    const isSearched = ({ videotype }: SpeechTruth) => videotype === "Speech" || videotype === "Debate";
    const wanted = new Set(bill.speeches.filter(isSearched).map(({ id }) => id));
    const inOthers = new Set(bill.speeches.filter((speech) => !isSearched(speech)).map(({ id }) => id));
    const given = [...new Set(ids)].filter((id) => !inOthers.has(id));
    expected += wanted.size;
    found += given.length;
    correct += given.filter((id) => wanted.has(id)).length;
  }
  const recall = expected === 0 ? 1 : correct / expected;
  const precision = found === 0 ? 1 : correct / found;
  return { expected, found, correct, recall, precision };
}
