import { rmSync } from "node:fs";
import { join } from "node:path";
import { readCompacted } from "./raw/compacted.js";
import { readProgress } from "./raw/rounds.js";
import { directoryStorage } from "./raw/storage.js";
import { COMPACTING, type Compaction, compactMonths, removeCompacted } from "./tables/compactMonths.js";
import { planDerivation } from "./tables/derivation.js";
import { withCorpusLock } from "./withCorpusLock.js";

/** Removes what no table needs from all months. */
export function compactCorpus(dir: string): Promise<Compaction> {
  return withCorpusLock(dir, undefined, async (definition, work) => {
    const storage = directoryStorage(dir);
    const { landings, rounds, pending } = await readProgress(dir, definition);
    // What a killed compaction has left.
    await removeCompacted(storage, landings);
    rmSync(join(work, COMPACTING), { recursive: true, force: true });
    const compacted = await readCompacted(storage);
    const derivation = planDerivation(dir, landings, rounds, pending.isRoundComplete, compacted);
    return compactMonths(dir, work, landings, derivation, () => true);
  });
}
