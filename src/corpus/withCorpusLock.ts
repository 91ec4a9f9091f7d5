import { readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { ClientContext } from "../call/clientContext.js";
import { ArchiveError } from "../errors/index.js";
import { show } from "../errors/validators.js";
import { makePrivateDirectory } from "../fs/makeDirectory.js";
import { processLock } from "../fs/processLock.js";
import { toFileError } from "../fs/toFileError.js";
import { PARTIAL } from "../fs/writeFileAtomic.js";
import { checkDirectory } from "./definition/checkDirectory.js";
import type { Definition } from "./definition/definition.js";
import { readDefinition, writeDefinition } from "./definition/definitionFile.js";
import { filesBelow } from "./raw/storage.js";

/**
 * Lets one process at a time write to a corpus.
 *
 * @param action gets the definition as it is on disk
 * @throws FileError `TARGET_BUSY` if another one is writing; ArchiveError `OTHER_SERVICE`
 */
export async function withCorpusLock<T>(
  dir: string,
  client: ClientContext | undefined,
  action: (definition: Definition, work: string) => Promise<T>,
): Promise<T> {
  checkDirectory(dir);
  const unlock = processLock(join(dir, ".lock"), dir);
  try {
    const definition = readDefinition(dir) as Definition;
    if (client !== undefined) checkSource(definition, client, dir);
    const work = join(dir, "work");
    makePrivateDirectory(work);
    // What a killed process was writing. Whoever has the lock is the only writer.
    for (const path of [...readdirSync(dir), ...["raw", "runs", "tables"].flatMap((top) => filesBelow(dir, top))])
      if (PARTIAL.test(basename(path))) rmSync(join(dir, path));
    return await action(definition, work);
  } catch (error) {
    throw toFileError(error, dir);
  } finally {
    unlock();
  }
}

/**
 * Creates or changes the definition of a corpus.
 *
 * @param change gets the definition as it is on disk; undefined if there is none
 */
export function changeDefinition(dir: string, change: (existing: Definition | undefined) => Definition): void {
  checkDirectory(dir);
  const unlock = processLock(join(dir, ".lock"), dir);
  try {
    const existing = readDefinition(dir);
    const changed = change(existing);
    if (changed !== existing) writeDefinition(dir, changed);
  } finally {
    unlock();
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
