import { types } from "node:util";
import { type Context, createContext, Script } from "node:vm";
import { faulty, invalid } from "../../errors/validators.js";
import { listed, quoted } from "../../util/quoted.js";
import { typedQuery } from "../../util/typedQuery.js";
import type { Captions } from "./captions.js";
import { Phrase } from "./phrase.js";

/** A phrase (`"climate change"`, `"inflat*"`) or a regular expression, see `kwic`. */
export type Pattern = string | RegExp;

export interface CompiledPattern {
  /** The phrase, or the regular expression as text. */
  readonly name: string;
  /** Passes every match, in order. */
  find(captions: Captions, found: OnMatch): void;
}

/** Phrases as they were typed, and regular expressions. */
export function patternsText(patterns: Pattern | readonly Pattern[]): string {
  return listed([patterns].flat().map((each) => (typeof each === "string" ? typedQuery(each) : String(each))));
}

/** Takes the index of a caption, and the start and end of a match in it, in UTF-16 units. */
type OnMatch = (caption: number, start: number, end: number) => void;

/** A regular expression may take this long, and as much again per million characters; most take a tenth of that. */
const BASE_MS = 1_000;

/**
 * Compiles patterns.
 *
 * @throws ValidationError for anything that is neither a phrase nor a regular expression, and for an empty list
 */
export function compilePatterns(given: Pattern | readonly Pattern[]): CompiledPattern[] {
  const patterns: readonly Pattern[] = Array.isArray(given) ? given : [given as Pattern];
  if (patterns.length === 0) throw invalid("patterns", given, 'Give a phrase, for example "climate change".');
  const compiled = patterns.map(compilePattern);
  const repeated = compiled.find(({ name }, at) => compiled.findIndex((other) => other.name === name) < at);
  if (repeated !== undefined) throw invalid("patterns", repeated.name, "Give every pattern once.");
  return compiled;
}

function compilePattern(pattern: Pattern): CompiledPattern {
  if (typeof pattern === "string") {
    const phrase = new Phrase(pattern);
    return {
      name: pattern,
      find: ({ spoken }, found) =>
        spoken.forEach((text, at) => {
          if (text !== null) phrase.find(text, (start, end) => found(at, start, end));
        }),
    };
  }
  if (!types.isRegExp(pattern)) {
    throw invalid("pattern", pattern, 'Give a phrase, for example "climate change", or a regular expression.');
  }
  const expression = new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, "")}g`);
  return {
    name: String(pattern),
    find(captions, found) {
      const limit = BASE_MS * (1 + captions.length / 1e6);
      if (boundedRun(limit, () => findAll(expression, captions.texts, found))) return;
      const hint = "Avoid repetitions within repetitions, such as (a+)+.";
      throw faulty("pattern", `${quoted(String(pattern))} backtracks too long`, hint);
    },
  };
}

function findAll(expression: RegExp, texts: readonly (string | null)[], found: OnMatch): void {
  texts.forEach((text, at) => {
    if (text === null) return;
    expression.lastIndex = 0;
    for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
      if (match[0] === "") expression.lastIndex++;
      else found(at, match.index, match.index + match[0].length);
    }
  });
}

const script = new Script("run()");
let context: (Context & { run?: () => void }) | undefined;

/**
 * Runs a function and stops it after a time. Only `node:vm` can stop a regular expression that backtracks forever.
 *
 * @param milliseconds how long it may take
 * @returns whether it ended in time
 */
function boundedRun(milliseconds: number, run: () => void): boolean {
  context ??= createContext({});
  const before = context.run;
  context.run = run;
  try {
    script.runInContext(context, { timeout: Math.ceil(milliseconds) });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return false;
    throw error;
  } finally {
    context.run = before;
  }
}
