import type { SpeakerAccount, SpeechesAccount } from "../service/paging/provenanceRecorder.js";
import type { SpeechPlan } from "./checkSpeeches.js";
import type { Finding } from "./findSpeeches.js";
import type { Merged } from "./mergeSpeeches.js";
import type { SpeakerStatus } from "./resolveSpeakers.js";
import type { SpeakerOfBill } from "./speechRows.js";

/** How the speeches were found, and what became of every speaker, over all bills. */
export function speechesAccount(
  { bills }: SpeechPlan,
  findings: readonly Finding[][],
  merged: readonly Merged[],
  everyone: readonly SpeakerOfBill[],
  isIn: (standing: SpeakerStatus) => boolean,
): SpeechesAccount {
  const speakers = counted(everyone);
  const those = (choose: (standing: SpeakerStatus) => boolean) => speakers.filter(({ standing }) => choose(standing));
  return {
    variants: bills.flatMap(({ bill }, at) =>
      (findings[at] ?? []).map(({ search: { query, videotype }, recorder, rows }, search) => ({
        bill: { ...bill },
        query,
        videotype,
        rows: rows.length,
        new: merged[at]?.fresh[search] ?? 0,
        verdict: recorder.verdict,
      })),
    ),
    duplicates: merged.reduce((sum, { duplicates }) => sum + duplicates, 0),
    kept: those(isIn).map(speakerAccount),
    leftOut: those(({ fate }) => fate === "leftOut").map((one) => ({
      ...speakerAccount(one),
      reason: one.standing.reason as string,
    })),
    unresolved: those(({ fate }) => fate === "unresolved").map((one) => {
      const { title, ...known } = speakerAccount(one);
      return { ...known, reason: one.standing.reason as string };
    }),
  };
}

interface Counted {
  readonly standing: SpeakerStatus;
  speeches: number;
}

/** Each speaker once, with the speeches on all bills; most speeches first, otherwise in the order of the result. */
function counted(everyone: readonly SpeakerOfBill[]): Counted[] {
  const byKey = new Map<string, Counted>();
  for (const { standing, speeches } of everyone) {
    const one = byKey.get(standing.speaker.key) ?? { standing, speeches: 0 };
    one.speeches += speeches.length;
    byKey.set(standing.speaker.key, one);
  }
  return [...byKey.values()].sort((a, b) => b.speeches - a.speeches);
}

function speakerAccount({ standing: { speaker, name, title }, speeches }: Counted): SpeakerAccount {
  return { personid: speaker.personid as SpeakerAccount["personid"], name, title, speeches };
}
