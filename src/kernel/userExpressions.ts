import { isObject } from "../util/isObject.js";
import type { CellRunner } from "./cells/cellRunner.js";
import type { Content } from "./protocol/message.js";

/** Number of expressions evaluated per request. */
const MAX_EXPRESSIONS = 100;

/** Longer expressions are refused. */
const MAX_LENGTH = 10_000;

/** Milliseconds for all expressions of a request. */
const TIMEOUT = 10_000;

/**
 * Evaluates the `user_expressions` of a request after its cell: Quarto uses them for code within text. An expression that fails
 * is an error in the reply, not a failed cell.
 */
export async function userExpressions(runner: CellRunner, cell: number, expressions: unknown): Promise<Content> {
  if (!isObject(expressions)) return {};
  const end = performance.now() + TIMEOUT;
  const replies: Record<string, Content> = {};
  for (const [index, [name, expression]] of Object.entries(expressions).entries()) {
    const problem = problemOf(index, expression, end);
    replies[name] = problem === undefined ? await evaluate(runner, cell, expression as string, end) : refused(problem);
  }
  return replies;
}

function problemOf(index: number, expression: unknown, end: number): string | undefined {
  if (index >= MAX_EXPRESSIONS) return `Only ${MAX_EXPRESSIONS} expressions are evaluated per request.`;
  if (typeof expression !== "string" || expression.trim() === "") return "The expression is empty.";
  if (expression.length > MAX_LENGTH) return `The expression is longer than ${MAX_LENGTH} characters.`;
  if (performance.now() > end) return `The expressions took longer than ${TIMEOUT / 1000} seconds.`;
  return undefined;
}

async function evaluate(runner: CellRunner, cell: number, expression: string, end: number): Promise<Content> {
  const timer = setTimeout(() => runner.interrupt(), Math.max(0, end - performance.now()));
  const { failure, result = {} } = await runner.evaluate(cell, expression);
  clearTimeout(timer);
  return failure === undefined ? { status: "ok", data: result, metadata: {} } : { status: "error", ...failure };
}

function refused(evalue: string): Content {
  return { status: "error", ename: "Error", evalue, traceback: [evalue] };
}
