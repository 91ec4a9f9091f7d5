import { readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { ClientContext } from "../../call/clientContext.js";
import { ArchiveError } from "../../errors/index.js";
import { show } from "../../errors/validators.js";
import { warn } from "../../errors/warn.js";
import { toFileError } from "../../fs/fileErrors.js";
import { PARTIAL } from "../../fs/writeFileAtomic.js";
import { type Definition, readDefinition, writeDefinition } from "../definition/definition.js";
import { filesBelow } from "../files.js";
import { followDefinition, restoreState } from "../state/adopt.js";
import { CorpusState } from "../state/corpusState.js";
import { DamagedDatabase, Database } from "../state/database.js";

/**
 * Opens a corpus for one writer. A state that is missing or damaged is made again from the tables.
 *
 * @throws ArchiveError `TARGET_BUSY` if another run is writing; `OTHER_SERVICE`
 */
export async function withCorpus<T>(
  dir: string,
  client: ClientContext | undefined,
  action: (state: CorpusState, definition: Definition) => Promise<T>,
  isRepeated = false,
): Promise<T> {
  try {
    const state = await CorpusState.open(dir);
    try {
      const definition = readDefinition(dir) as Definition;
      if (client !== undefined) checkSource(definition, client, dir);
      // Left by a killed process: whoever has the database is the only writer.
      for (const path of [...readdirSync(dir), ...filesBelow(dir, "tables")])
        if (PARTIAL.test(basename(path))) rmSync(join(dir, path));
      if (state.round.round === 0 && (await restoreState(state, definition)))
        warn(
          "CORPUS_RESTORED",
          `The database of ${dir} was missing or damaged. It was made again from the tables, without a request.`,
        );
      await followDefinition(state, definition);
      return await action(state, definition);
    } finally {
      state.close();
    }
  } catch (error) {
    // It was put aside.
    if (error instanceof DamagedDatabase && !isRepeated) return withCorpus(dir, client, action, true);
    throw toFileError(error, dir);
  }
}

/**
 * Creates or changes the definition of a corpus.
 *
 * @param change gets the definition as it is on disk; undefined if there is none
 */
export async function changeDefinition(
  dir: string,
  change: (existing: Definition | undefined) => Definition,
): Promise<void> {
  const database = await Database.open(dir);
  try {
    const existing = readDefinition(dir);
    const changed = change(existing);
    if (changed !== existing) writeDefinition(dir, changed);
  } finally {
    database.close();
  }
}

/** @throws ArchiveError `OTHER_SERVICE` for a corpus of another service */
export function checkSource(definition: Definition, { source }: Pick<ClientContext, "source">, dir: string): void {
  if (definition.source === source) return;
  throw new ArchiveError(`The corpus ${dir} is of another service: ${show(definition.source)}, not ${show(source)}.`, {
    code: "OTHER_SERVICE",
    hint: "Give a client of that service, or another directory.",
  });
}
