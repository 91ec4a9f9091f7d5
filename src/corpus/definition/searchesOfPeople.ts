import { invalid } from "../../errors/validators.js";
import { engineOf } from "../../frames/engine.js";
import { toRecords } from "../../frames/toRecords.js";
import type { DanfoFrame, PolarsFrame } from "../../util/frameTypes.js";
import { isObject } from "../../util/isObject.js";
import { type CrossValues, cross } from "./cross.js";
import type { CorpusSearch } from "./search.js";

/** People: a list of ids or of rows, or a frame of `archive.people(…)`. */
export type CorpusPeople =
  | ReadonlyArray<number | string | { readonly id?: number | string | null; readonly name?: string | null }>
  | PolarsFrame
  | DanfoFrame;

/**
 * Searches for what some people have said, for {@link openCorpus}: each combination of a person and the values. The name of the person
 * is the label `speaker`.
 *
 * @param people see {@link CorpusPeople}; each person once
 * @param values as of {@link cross}. The service needs a `query`
 * @throws ValidationError for a person without an id
 * @example
 * searchesOfPeople(await archive.people({ last: "Pelosi" }), { query: "budget", congress: 117 });
 * //=> [{ query: "budget", congress: 117, personid: 6153, speaker: "Maria Pelosi" }]
 */
export function searchesOfPeople(people: CorpusPeople, values: CrossValues): CorpusSearch[] {
  const isFrame = engineOf(people) !== undefined;
  const list: readonly unknown[] = isFrame ? toRecords(people as PolarsFrame) : [people].flat();
  if (list.length === 0) throw invalid("people", people, "Give at least one person.");
  const speakers = new Map(list.map((person) => [String(idOf(person)), person]));
  const searches = cross(values);
  return [...speakers.values()].flatMap((person) => {
    const { name = undefined } = isObject(person) ? (person as { name?: unknown }) : {};
    const speaker = typeof name === "string" && name !== "" ? { speaker: name } : {};
    return searches.map((search) => ({ ...search, personid: idOf(person), ...speaker }));
  });
}

function idOf(person: unknown): number | string {
  const id = isObject(person) ? (person as { id?: unknown }).id : person;
  if (typeof id === "bigint") return String(id);
  if ((typeof id === "number" && Number.isSafeInteger(id)) || (typeof id === "string" && id !== "")) return id;
  throw invalid("people", person, "Give ids, for example [6153], or rows of archive.people(…).");
}
