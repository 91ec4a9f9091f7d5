import { wellFormed } from "./exactJson.js";

/**
 * Members of a polars frame that a column of the same name would take away from whoever reads or reshapes the frame, polars
 * itself among them. Columns of other names hide at most one method (a column `sum` hides `frame.sum()`, which
 * `frame.lazy()` still has), and so keep their names.
 */
const RESERVED = new Set([
  "_df",
  "clone",
  "columns",
  "drop",
  "dtypes",
  "filter",
  "getColumn",
  "getColumns",
  "groupBy",
  "head",
  "height",
  "inner",
  "join",
  "lazy",
  "schema",
  "select",
  "shape",
  "slice",
  "tail",
  "toRecords",
  "toSeries",
  "vstack",
  "width",
  "withColumns",
  "writeCSV",
  "writeIPC",
  "writeJSON",
  "writeParquet",
]);

/** Whether a column of this name would make a frame unusable. */
export function isReserved(name: string): boolean {
  return RESERVED.has(name);
}

/** What a name cannot hold as it is: the separator of paths, what escapes it, and halves of surrogate pairs. */
const SPECIAL = /[\\.]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * The name of a column, from the names of the members that lead to it: they are joined with dots, a dot or a backslash inside
 * one of them gets a backslash in front, half of a surrogate pair is written as its escape, and a reserved name gets an
 * underscore, as do those that are one but for underscores at the end. No two paths have one name.
 *
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
 * The simpler name of a column, where it is known that no two are the same: dots and backslashes stay as they are, and so does a
 * name that only ends in an underscore.
 *
 * @example
 * simpleColumnName(["by.name"]); //=> "by.name"
 * simpleColumnName(["height_"]); //=> "height_"
 */
export function simpleColumnName(path: readonly string[]): string {
  const name = wellFormed(path.join("."));
  return isReserved(name) ? `${name}_` : name;
}

function escapedCharacter(character: string): string {
  if (character === "." || character === "\\") return `\\${character}`;
  return `\\u${character.charCodeAt(0).toString(16)}`;
}
