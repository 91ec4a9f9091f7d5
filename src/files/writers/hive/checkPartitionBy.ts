import { ValidationError } from "../../../errors/index.js";
import { invalid, show } from "../../../errors/validators.js";
import { option, wording } from "../../../errors/wording.js";
import type { PartitionKey } from "../../frameWriter.js";

/** A level of directories in a partitioned dataset: its name, and the column (or part of a timestamp) that it comes from. */
export interface PartitionLevel {
  readonly name: string;
  readonly column: string;
  readonly part: "value" | "year" | "month" | "day";
}

const HINT = wording`Give a column or several, for example ${option("partitionBy", "congress")} or ${option("partitionBy", { year: "begintime" })}.`;
const PARTS: ReadonlyArray<PartitionLevel["part"]> = ["year", "month", "day"];
// Valid as a directory name on every file system and in every reader.
const DIRECTORY_NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;

/**
 * Validates the form of `partitionBy`. Whether the columns exist is checked with the first frame.
 *
 * @returns the keys, at least one
 * @throws ValidationError if it has another form, or if two keys have the same directory name
 */
export function checkPartitionBy(value: unknown): readonly PartitionKey[] {
  const keys = (Array.isArray(value) ? value : [value]) as unknown[];
  if (keys.length === 0 || !keys.every(isKey)) throw invalid("partitionBy", value, HINT);
  const levels = partitionLevels(keys);
  for (const { name } of levels) {
    if (!DIRECTORY_NAME.test(name))
      throw invalid(
        "partitionBy",
        name,
        "Give a column whose name has only letters, digits, dots, - and _, and begins with a letter or digit.",
      );
    if (levels.filter((level) => isSameName(level.name, name)).length > 1)
      throw new ValidationError(
        wording`invalid ${option("partitionBy")}: two keys have the directory name ${show(name)}.`,
        {
          hint: "Omit one of them.",
          parameter: "partitionBy",
        },
      );
  }
  return keys;
}

/** The levels of directories for some keys: `{ month: "begintime" }` gives year and month. */
export function partitionLevels(keys: readonly PartitionKey[]): PartitionLevel[] {
  return keys.flatMap((key): PartitionLevel[] => {
    if (typeof key === "string") return [{ name: key, column: key, part: "value" }];
    const [last, column] = Object.entries(key)[0] as [PartitionLevel["part"], string];
    return PARTS.slice(0, PARTS.indexOf(last) + 1).map((part) => ({ name: part, column, part }));
  });
}

/** Whether two names are equal to case-insensitive readers such as DuckDB. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function isKey(key: unknown): key is PartitionKey {
  if (typeof key === "string") return key !== "";
  if (typeof key !== "object" || key === null) return false;
  const entries = Object.entries(key);
  const [part, column] = entries[0] ?? [];
  return entries.length === 1 && PARTS.some((known) => known === part) && typeof column === "string" && column !== "";
}
