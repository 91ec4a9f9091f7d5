import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The root of the package, with a trailing slash. */
export const ROOT: string = new URL("../..", import.meta.url).pathname;

/** A fenced block of code. */
export interface CodeBlock {
  readonly code: string;
  /** Line of the file that the code begins on, counted from 1. */
  readonly line: number;
}

const SKIPPED = new Set(["node_modules", "dist", "coverage", ".git"]);

/** The Markdown files of the repository, as paths from its root. */
export function markdownFiles(): string[] {
  const found: string[] = [];
  const visit = (directory: string): void => {
    for (const entry of readdirSync(join(ROOT, directory), { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) visit(path);
      else if (entry.name.endsWith(".md")) found.push(path);
    }
  };
  visit("");
  return found.sort();
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** The fenced blocks of one language. */
export function codeBlocks(text: string, language: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let fence: { language: string; line: number; lines: string[] } | undefined;
  for (const [at, line] of text.split("\n").entries()) {
    const mark = /^```(.*)$/.exec(line);
    if (mark === null) fence?.lines.push(line);
    else if (fence === undefined) fence = { language: mark[1]?.trim() ?? "", line: at + 2, lines: [] };
    else {
      if (fence.language === language) blocks.push({ code: `${fence.lines.join("\n")}\n`, line: fence.line });
      fence = undefined;
    }
  }
  return blocks;
}

/** The text without code, where brackets are not links and `#` is not a heading. */
export function withoutCode(text: string): string {
  return withoutFences(text).replace(/`[^`\n]*`/g, "``");
}

function withoutFences(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, "");
}

/** The targets of the links of a file. */
export function linkTargets(text: string): string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target as string);
}

/** A heading, with its anchor on GitHub, which numbers those that would be the same. */
interface Heading {
  readonly level: number;
  readonly title: string;
  readonly anchor: string;
}

/** The headings of a file. */
export function headingsOf(text: string): Heading[] {
  const taken = new Set<string>();
  return [...withoutFences(text).matchAll(/^(#+) (.+)$/gm)].map(([, marks = "", title = ""]) => {
    const name = title.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "");
    const slug = name.trim().replaceAll(" ", "-");
    let anchor = slug;
    for (let count = 1; taken.has(anchor); count++) anchor = `${slug}-${count}`;
    taken.add(anchor);
    return { level: marks.length, title, anchor };
  });
}
