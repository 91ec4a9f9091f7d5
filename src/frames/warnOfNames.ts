import { quoted } from "../util/quoted.js";

/** Names that were already in a warning. */
const warned = new Set<string>();
const MAX_REMEMBERED = 1000;
/** Names listed in one warning. */
const MAX_NAMED = 3;

/** Emits the warning `COLUMN_RENAMED`, once for each column whose name differs from that of its member. */
export function warnOfNames(columns: ReadonlyArray<{ readonly path: readonly string[]; readonly name: string }>): void {
  const renamed: string[] = [];
  for (const { path, name } of columns) {
    if (name === path.join(".") || warned.has(name) || warned.size >= MAX_REMEMBERED) continue;
    warned.add(name);
    renamed.push(
      `${path
        .map((member) => quoted(member))
        .toReversed()
        .join(" in ")} is column ${quoted(name)}`,
    );
  }
  if (renamed.length === 0) return;
  const more = renamed.length > MAX_NAMED ? `, and ${renamed.length - MAX_NAMED} more` : "";
  process.emitWarning(
    `Columns were renamed, because a frame needs the name or another column could have it: ${renamed.slice(0, MAX_NAMED).join(", ")}${more}.`,
    { type: "ArchiveFramesWarning", code: "COLUMN_RENAMED" },
  );
}
