import { createRequire } from "node:module";
import type { Diagnostic } from "../converter/converter.js";
import { FRAME_HABITS, LINE_HABITS, MESSAGE_HABITS, NAME_HABITS, TEXT_HABITS } from "./habits.js";

/** Only the beginning of a longer message is searched. */
const MAX_MESSAGE = 5000;

const MAX_HINTS = 3;

/** What to type instead, for up to three errors: their messages, and the lines of the cell that caused them. */
export function hintsFor(faults: ReadonlyArray<Pick<Diagnostic, "message" | "source">>): string[] {
  const hints = faults.slice(0, 2 * MAX_HINTS).map(({ message, source: line = "" }) => {
    const text = message.slice(0, MAX_MESSAGE);
    const isSyntax = /^Cannot find name|expected\.|^Unexpected keyword|^Invalid character|^Circular/.test(text);
    return (
      (isSyntax ? habitHint(LINE_HABITS, line) : undefined) ??
      habitHint(MESSAGE_HABITS, text) ??
      nameHint(/^Cannot find name '([\w$]+)'/.exec(text)?.[1], line) ??
      memberHint(text, line)
    );
  });
  return [...new Set(hints.filter((hint) => hint !== undefined))].slice(0, MAX_HINTS);
}

function habitHint(habits: Readonly<Record<string, RegExp>>, text: string): string | undefined {
  const [habit] = Object.entries(habits).find(([, pattern]) => pattern.test(text)) ?? [];
  const [typed = "", code] = habit?.split(" → ") ?? [];
  return insteadOf(typed, code);
}

/** The hint for an undeclared name: where to import it from, how to declare it, or what it is in TypeScript. */
function nameHint(name: string | undefined, line: string): string | undefined {
  if (name === undefined) return undefined;
  const statement = importOf(name);
  if (statement !== undefined) return `It needs an import: ${statement}`;
  const typed = line.trim();
  if (typed.startsWith(name) && /^\s*=[^=]/.test(typed.slice(name.length)))
    return `Declare it: const ${typed.slice(0, 80)}`;
  return insteadOf(name, NAME_HABITS.get(name));
}

/** A missing member of a frame, or of what belongs to one, in a type error. */
const OF_FRAME =
  /^Property '(\w+)' does not exist on type '(?:\w*DataFrame|PolarsFrame|Series|GroupBy|ArchiveScan|typeof pl\b)/;

/** The hint for a missing member, by its name in Python: of a type, of a value, or in the line whose value is undefined. */
function memberHint(message: string, line: string): string | undefined {
  const ofScan = /^Property '(\w+)' does not exist on type 'ArchiveScan/.exec(message)?.[1];
  if (ofScan !== undefined && !FRAME_HABITS.has(ofScan))
    return `A scan has few verbs, and pipe for all others: scan.pipe((lazy) => lazy.${ofScan}(…)). Give it lazy frames: other.lazy().`;
  const ofText = /^Property '(\w+)' does not exist on type '(?:string|\w+\[\])'/.exec(message)?.[1];
  if (ofText !== undefined) return insteadOf(ofText, TEXT_HABITS.get(ofText));
  const ofFrame = OF_FRAME.exec(message)?.[1];
  const called = /\.(\w+) is not a function/.exec(message)?.[1];
  const isUndefined = /^Cannot read properties of undefined/.test(message);
  const inLine = [...line.matchAll(/\.(\w+)/g)].map(([, name = ""]) => name).find((name) => FRAME_HABITS.has(name));
  const name = ofFrame ?? called ?? (isUndefined ? inLine : undefined) ?? "";
  const hint = insteadOf(name, FRAME_HABITS.get(name) ?? TEXT_HABITS.get(name));
  if (hint !== undefined || ofFrame === undefined) return hint;
  return `A column is frame.getColumn("${ofFrame}"), and frame.columns has the names of all.`;
}

/** The code for a name, with the imports that it needs. */
function insteadOf(name: string, code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  const called = [...code.matchAll(/(?<![.\w"])(\w+)(?=[.(])/g)].flatMap(([, called = ""]) => importOf(called) ?? []);
  const end = code.endsWith(";") ? "" : ".";
  return [`Instead of ${name}: ${code}${end}`, ...new Set(called)].join(" ");
}

const ENTRIES = ["", "/notebook", "/text", "/coding", "/corpus", "/members"].map((entry) => `archive-frames${entry}`);

/** The import of a name that this package exports. */
function importOf(name: string): string | undefined {
  const require = createRequire(import.meta.url);
  const entry = ENTRIES.find((each) => name in (require(each) as object));
  return entry && `import { ${name} } from "${entry}";`;
}
