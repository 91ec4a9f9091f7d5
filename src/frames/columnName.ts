import { warn } from "../errors/warn.js";
import { quoted } from "../util/quoted.js";

/**
 * Members of a polars frame that its users, and polars itself, need to read or reshape the frame; a column of the same name would hide
 * them. Any other column hides at most one method (`sum` hides `frame.sum()`, which `frame.lazy()` still has) and is not renamed.
 */
const RESERVED = new Set(
  (
    "_df inner columns dtypes height schema shape width clone drop filter getColumn getColumns groupBy head join lazy select slice " +
    "tail toRecords toSeries vstack withColumns writeCSV writeIPC writeJSON writeParquet"
  ).split(" "),
);

/** Whether a column with this name would make a frame unusable. */
export function isReserved(name: string): boolean {
  return RESERVED.has(name);
}

/** Characters to escape in a name: the path separator, the escape character and lone surrogates. */
const SPECIAL = /[\\.]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * The name of the column for a path of members. Member names are joined with dots; a dot or backslash inside a name is escaped with a
 * backslash, a lone surrogate is written as its `\u` escape. A reserved name, with or without trailing underscores, gets one more
 * underscore. Different paths have different names.
 * @example
 * columnName(["by", "name"]); //=> "by.name"
 * columnName(["by.name"]);    //=> "by\\.name"
 * columnName(["height"]);     //=> "height_"
 * columnName(["height_"]);    //=> "height__"
 */
export function columnName(path: readonly string[]): string {
  const name = path.map((member) => member.replace(SPECIAL, escapedCharacter)).join(".");
  return isReserved(name.replace(/(?<!_)_+$/, "")) ? `${name}_` : name;
}

/**
 * The simpler name of the column, for callers that check names for duplicates: dots, backslashes and trailing underscores are
 * unchanged.
 */
export function simpleColumnName(path: readonly string[]): string {
  const name = path.join(".").toWellFormed();
  return isReserved(name) ? `${name}_` : name;
}

function escapedCharacter(character: string): string {
  if (character === "." || character === "\\") return `\\${character}`;
  return `\\u${character.charCodeAt(0).toString(16)}`;
}

const warned = new Set<string>();
const MAX_REMEMBERED = 1000;
const MAX_NAMED = 3;

/** Emits the warning `COLUMN_RENAMED`, once for each column whose name differs from that of its member. */
export function warnOfNames(columns: ReadonlyArray<{ readonly path: readonly string[]; readonly name: string }>): void {
  const renamed: string[] = [];
  for (const { path, name } of columns) {
    if (name === path.join(".") || warned.has(name) || warned.size >= MAX_REMEMBERED) continue;
    warned.add(name);
    const members = path.map((member) => quoted(member)).toReversed();
    renamed.push(`${members.join(" in ")} is column ${quoted(name)}`);
  }
  if (renamed.length === 0) return;
  const more = renamed.length > MAX_NAMED ? `, and ${renamed.length - MAX_NAMED} more` : "";
  warn(
    "COLUMN_RENAMED",
    `Columns were renamed, because a frame needs the name or another column could have it: ${renamed.slice(0, MAX_NAMED).join(", ")}${more}.`,
  );
}
