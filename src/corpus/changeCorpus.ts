import { resolve } from "node:path";
import { invalid, nonEmptyString } from "../errors/validators.js";
import { type Definition, readDefinition, writeDefinition } from "./definition/definition.js";
import { publishTables } from "./publish/publishTables.js";
import { missingLookups } from "./run/lookUp.js";
import { checkSource, withCorpus } from "./run/withCorpus.js";
import { adopt, followDefinition, newWindows, restoreState } from "./state/adopt.js";
import { type CorpusState, searchIds } from "./state/corpusState.js";
import { pendingOf } from "./state/rounds.js";

/** See `corpus.remove`. */
export function removeSearches(dir: string, given: string | readonly string[]): Promise<void> {
  const ids = [given].flat();
  return withCorpus(dir, undefined, async (state, definition) => {
    const known = searchIds(definition);
    const unknown = ids.find((id) => !known.has(id));
    if (ids.length === 0 || unknown !== undefined)
      throw invalid("search", unknown, "Give ids of searches: the column search of corpus.searches().");
    const rest = { ...definition, searches: definition.searches.filter(({ id }) => !ids.includes(id)) };
    writeDefinition(dir, rest);
    await followDefinition(state, rest);
    await publish(state, rest);
  });
}

/** See `corpus.import`. */
export function importCorpus(dir: string, given: string): Promise<{ readonly windows: number }> {
  const other = resolve(nonEmptyString("dir", given, "pilot/"));
  const theirs = readDefinition(other);
  if (theirs === undefined) throw invalid("dir", given, "Give the directory of a corpus.");
  const action = async (state: CorpusState, definition: Definition) => {
    checkSource(definition, theirs, given);
    if (!(await restoreState(state, other, theirs, "other")))
      throw invalid("dir", given, "Nothing was built there yet.");
    const windows = await adopt(state, newWindows(state, definition), "other");
    await state.run("drop schema other cascade");
    await publish(state, definition);
    return { windows };
  };
  return withCorpus(dir, undefined, action, [resolve(other, "tables")]);
}

async function publish(state: CorpusState, definition: Definition): Promise<void> {
  await publishTables(state, definition, pendingOf(state, definition), await missingLookups(state, definition));
}
