import { FRAME_HABITS, LINE_HABITS, MESSAGE_HABITS, NAME_HABITS, TEXT_HABITS } from "../../src/kernel/cells/habits.js";

/** The page of the habits that the kernel knows: one line for each code, after all names for it. */
export function habitsPage(): string {
  const patterns = [...Object.keys(MESSAGE_HABITS), ...Object.keys(LINE_HABITS)].map((habit) => habit.split(" → "));
  const sections = [
    section("Members of frames", [...FRAME_HABITS]),
    section("Members of strings and lists", [...TEXT_HABITS]),
    section("Functions and values", [...NAME_HABITS]),
    section("Expressions and syntax", patterns as Array<[string, string]>),
  ];
  const intro = `This page lists what you type in pandas, polars or R, and the TypeScript for it. \`frame\` is a frame of mentions, \`other\` a second one,
\`list\` an array and \`text\` a string. A notebook of our kernel says the same below an error, and offers it as completion.`;
  return `${["# From pandas, polars and R", "[Index](../API.md)", intro, ...sections].join("\n\n")}\n`;
}

function section(title: string, rows: ReadonlyArray<readonly [typed: string, code: string]>): string {
  const codes = [...new Set(rows.map(([, code]) => code))];
  const lines = codes.map((code) => {
    const names = rows.filter((row) => row[1] === code).map(([typed]) => quoted(typed));
    return `- ${names.join(", ")}: ${quoted(code)}`;
  });
  return `## ${title}\n\n${lines.join("\n")}`;
}

function quoted(code: string): string {
  return code.includes("`") ? `\`\` ${code} \`\`` : `\`${code}\``;
}
