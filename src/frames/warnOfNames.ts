import { quoted } from "../util/quoted.js";
import type { MemberColumn } from "./memberTree.js";

/** Names that a warning has told of. */
const told = new Set<string>();
/** Names to remember, and names in one warning. */
const MAX_REMEMBERED = 1000;
const MAX_NAMED = 3;

/** Warns, once for each name, of columns that are not called as their members are, with code `COLUMN_RENAMED`. */
export function warnOfNames(columns: readonly MemberColumn[], names: readonly string[]): void {
  const renamed: string[] = [];
  columns.forEach(({ path }, at) => {
    const name = names[at] as string;
    if (name === path.join(".") || told.has(name) || told.size >= MAX_REMEMBERED) return;
    told.add(name);
    renamed.push(`${path.map((member) => quoted(member)).join(" in ")} is column ${quoted(name)}`);
  });
  if (renamed.length === 0) return;
  const more = renamed.length > MAX_NAMED ? `, and ${renamed.length - MAX_NAMED} more` : "";
  process.emitWarning(
    `Columns are not called as their members, since a frame needs the name or another column has it: ${renamed.slice(0, MAX_NAMED).join(", ")}${more}.`,
    { type: "ArchiveFramesWarning", code: "COLUMN_RENAMED" },
  );
}
