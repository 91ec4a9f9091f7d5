import type { Bill } from "../corpus/bills.js";
import { Corpus } from "../corpus/corpus.js";
import type { Mention } from "../corpus/mention.js";
import type { Naming } from "../corpus/naming.js";
import { videoTypeName } from "../corpus/videoTypes.js";
import { type EmbeddedArchiveOptions, resolveOptions } from "../options.js";
import { SpeakerTruths } from "./speakerTruth.js";
import type { BillTruth, CorpusTruth, DecoyTruth, ReairingTruth, SpeechTruth } from "./truthTypes.js";

/**
 * Which mentions of an embedded archive are about which bill. It is known from how the mentions were written, not searched for,
 * so that any method that links speeches to bills can be measured; see {@link scoreSpeeches}. Takes about a second and no request.
 *
 * @param options the `seed`, `size` and `reairings` of the archive, with the same defaults as `startEmbeddedArchive`
 * @throws ValidationError for an unknown option or an invalid value
 * @example
 * const truth = corpusTruth({ size: 5_000 });
 * const bill = truth.bills.find(({ title }) => title === "Inflation Reduction Act");
 * bill?.number; //=> "H.R. 5376"
 */
export function corpusTruth(options: Pick<EmbeddedArchiveOptions, "seed" | "size" | "reairings"> = {}): CorpusTruth {
  const { seed, size, reairings } = resolveOptions(options);
  return truthOf(new Corpus(seed, size, { reairings }));
}

/** The truth of a corpus. */
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
    const { row, listed, kind, number, spokenTitle } = bill;
    return {
      id: row.id,
      congress: row.congress,
      kind,
      number,
      title: spokenTitle,
      row: listed ? { ...row } : null,
      speeches: speeches.get(bill) ?? [],
      decoys: decoys.get(bill) ?? [],
    };
  });
  const reairings = corpus.mentions.flatMap(({ id, repeats }): ReairingTruth[] =>
    repeats === undefined ? [] : [{ id: String(id), of: String(repeats.of.id), kind: repeats.kind }],
  );
  return { seed: corpus.seed, size: corpus.size, bills, reairings };
}

function speechTruth(mention: Mention, { named, hard }: Naming, speakers: SpeakerTruths): SpeechTruth {
  const speaker = speakers.of(mention);
  return {
    id: String(mention.id),
    named,
    hard: speaker.identified ? hard : [...hard, "unidentified speaker"],
    videotype: videoTypeName(mention.videoTypeId),
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
