import { ValidationError } from "../../../errors/index.js";
import { invalid, show } from "../../../errors/validators.js";
import type { PartitionKey } from "../../frameWriter.js";

/** A level of the folders of a partitioned dataset: its name, and how it follows from which column. */
export interface PartitionLevel {
  readonly name: string;
  readonly column: string;
  readonly part: "value" | "year" | "month" | "day";
}

const HINT = 'Give a column or several, for example partitionBy: "congress" or partitionBy: { year: "begintime" }.';
const PARTS: ReadonlyArray<PartitionLevel["part"]> = ["year", "month", "day"];
// It becomes the name of a folder, on every file system and in every reader.
const FOLDER_NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;

/**
 * Checks the form of `partitionBy`; whether the columns are there only the rows can say.
 *
 * @returns the keys, of which there is at least one
 * @throws ValidationError where it is of another form, or two keys would make folders of one name
 */
export function checkPartitionBy(value: unknown): readonly PartitionKey[] {
  const keys = (Array.isArray(value) ? value : [value]) as unknown[];
  if (keys.length === 0 || !keys.every(isKey)) throw invalid("partitionBy", value, HINT);
  const levels = partitionLevels(keys);
  for (const { name } of levels) {
    if (!FOLDER_NAME.test(name))
      throw invalid(
        "partitionBy",
        name,
        "Give a column named by letters, digits, dots, - and _ alone, a letter or digit first.",
      );
    if (levels.filter((level) => sameName(level.name, name)).length > 1)
      throw new ValidationError(`invalid partitionBy: two keys make folders called ${show(name)}.`, {
        hint: "Leave one of them out.",
        parameter: "partitionBy",
      });
  }
  return keys;
}

/** The levels of folders that keys make: `{ month: "begintime" }` makes year and month. */
export function partitionLevels(keys: readonly PartitionKey[]): PartitionLevel[] {
  return keys.flatMap((key): PartitionLevel[] => {
    if (typeof key === "string") return [{ name: key, column: key, part: "value" }];
    const [last, column] = Object.entries(key)[0] as [PartitionLevel["part"], string];
    return PARTS.slice(0, PARTS.indexOf(last) + 1).map((part) => ({ name: part, column, part }));
  });
}

/** Whether two names are one to readers that do not tell capitals apart, such as DuckDB. */
export function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function isKey(key: unknown): key is PartitionKey {
  if (typeof key === "string") return key !== "";
  if (typeof key !== "object" || key === null) return false;
  const entries = Object.entries(key);
  const [part, column] = entries[0] ?? [];
  return entries.length === 1 && PARTS.some((known) => known === part) && typeof column === "string" && column !== "";
}
