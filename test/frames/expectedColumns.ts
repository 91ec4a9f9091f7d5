/** Names that a frame itself needs; see src/frames/README.md. */
const RESERVED =
  "_df clone columns drop dtypes filter getColumn getColumns groupBy head height inner join lazy schema select shape slice tail toRecords toSeries vstack width withColumns writeCSV writeIPC writeJSON writeParquet".split(
    " ",
  );

/** The expected columns and values of one row: a simple implementation of the rules in src/frames/README.md. */
export function expectedColumns(row: object): Map<string, unknown> {
  const columns = new Map<string, unknown>();
  const visit = (object: object, prefix: string | undefined, depth: number): void => {
    for (const [member, value] of Object.entries(object)) {
      const own = [...member].map(escapedCharacter).join("");
      const name = prefix === undefined ? own : `${prefix}.${own}`;
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      const isEmpty = isObject && Object.keys(value as object).length === 0;
      if (isObject && depth < 32 && !isEmpty) visit(value as object, name, depth + 1);
      else columns.set(prefix === undefined ? unreserved(name) : name, isEmpty && depth < 32 ? null : value);
    }
  };
  visit(row, undefined, 0);
  return columns;
}

function escapedCharacter(character: string): string {
  if (character === "." || character === "\\") return `\\${character}`;
  const code = character.charCodeAt(0);
  return character.length === 1 && code >= 0xd800 && code <= 0xdfff ? `\\u${code.toString(16)}` : character;
}

function unreserved(name: string): string {
  let bare = name;
  while (!RESERVED.includes(bare) && bare.endsWith("_")) bare = bare.slice(0, -1);
  return RESERVED.includes(bare) ? `${name}_` : name;
}
