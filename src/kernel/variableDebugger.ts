import { inspect } from "node:util";
import type { MimeBundle } from "../notebook/display/mimeBundle.js";
import type { Variables } from "./cells/evaluator.js";
import { loadDisplay } from "./cells/resultBundle.js";
import { type FrameShape, frameShape } from "./completion.js";
import type { Content } from "./protocol/wire.js";

/** What a {@link VariableDebugger} works with. */
export interface DebugContext {
  readonly variables: Variables;
  /** The declarations of all cells so far. */
  readonly declarations: string;
  /** Removes secrets. */
  redact(text: string): string;
}

/** Longer texts are not shown. */
const MAX_TEXT = 100_000;

/** Replies to requests of the Debug Adapter Protocol. Front ends use it to list variables; breakpoints are refused. */
export class VariableDebugger {
  readonly #context: () => DebugContext;
  /** Whether a front end shows the variables. */
  #isStarted = false;
  #replies = 0;

  constructor(context: () => DebugContext) {
    this.#context = context;
  }

  /** @param request the content of a `debug_request` */
  async reply(request: Content): Promise<Content> {
    const command = String(request.command);
    const head = { seq: ++this.#replies, type: "response", request_seq: request.seq, command };
    if (command === "initialize") this.#isStarted = true;
    if (command === "disconnect") this.#isStarted = false;
    try {
      const body =
        command === "debugInfo"
          ? debugInfo(this.#isStarted)
          : await bodyOf(command, request.arguments ?? {}, this.#context());
      return { ...head, success: true, body };
    } catch (error) {
      return { ...head, success: false, message: (error as Error).message, body: {} };
    }
  }
}

async function bodyOf(command: string, parameters: unknown, context: DebugContext): Promise<Content> {
  switch (command) {
    case "initialize":
      return { supportsConfigurationDoneRequest: true, supportsModulesRequest: false };
    case "attach":
    case "configurationDone":
      return {};
    case "disconnect":
      return {};
    case "inspectVariables":
      return { variables: listVariables(context.variables, context.declarations, context.redact) };
    case "richInspectVariables":
      return richVariable((parameters as { variableName?: unknown }).variableName, context);
    // JupyterLab asks for these although nothing can be stopped.
    case "modules":
      return { modules: [] };
    case "setExceptionBreakpoints":
      return { breakpoints: [] };
  }
  throw new Error(`This kernel lists variables, but does not support ${command}: it has no breakpoints.`);
}

/** The state of the debugger. Front ends name cells by hash, so they need a hash method. */
function debugInfo(isStarted: boolean): Content {
  return {
    isStarted,
    hashMethod: "Murmur2",
    hashSeed: 0,
    tmpFilePrefix: "",
    tmpFileSuffix: ".ts",
    breakpoints: [],
    stoppedThreads: [],
    richRendering: true,
    exceptionPaths: [],
    copyToGlobals: false,
  };
}

async function richVariable(name: unknown, { variables }: DebugContext): Promise<Content> {
  if (typeof name !== "string" || !Object.hasOwn(variables, name)) throw new Error(`No variable ${String(name)}.`);
  const value = variables[name];
  const display = await loadDisplay();
  const data: MimeBundle = display?.displayBundle(value) ?? { "text/plain": plainText(value).slice(0, MAX_TEXT) };
  return { data, metadata: {} };
}

function plainText(value: unknown): string {
  return typeof value === "string" ? value : inspect(value);
}

/** Number of variables listed. */
const MAX_VARIABLES = 1000;

/** Longer values are cut. */
const MAX_VALUE = 200;

/** Texts are cut before they are redacted; what remains must be long enough to be recognized as a secret. */
const INSPECT = { depth: 1, maxArrayLength: 10, maxStringLength: 1000, breakLength: Number.POSITIVE_INFINITY } as const;

/** Number of columns in the value of a frame. */
const MAX_COLUMNS = 10;

/** One variable, as the Debug Adapter Protocol lists it. */
export interface ListedVariable {
  readonly name: string;
  readonly evaluateName: string;
  readonly type: string;
  readonly value: string;
  /** 0: it has no members to list. */
  readonly variablesReference: 0;
}

/**
 * Lists the variables of all cells, sorted by name: frames with their shape and the types of their columns, everything else with a
 * short value. What cells have imported is left out.
 *
 * @param declarations of all cells
 * @param redact removes secrets
 */
export function listVariables(
  variables: Variables,
  declarations: string,
  redact: (text: string) => string,
): ListedVariable[] {
  const imported = importedNames(declarations);
  const names = Object.keys(variables).filter((name) => !imported.has(name));
  return names
    .sort()
    .slice(0, MAX_VARIABLES)
    .map((name) => {
      const { type, value } = describe(variables[name]);
      return { name, evaluateName: name, type, value: cut(redact(value)), variablesReference: 0 };
    });
}

/** Type and value; user code in getters and custom formats may throw. */
function describe(value: unknown): { type: string; value: string } {
  try {
    const shape = frameShape(value);
    return shape === undefined
      ? { type: typeName(value), value: inspect(value, INSPECT) }
      : { type: "DataFrame", value: shapeText(shape) };
  } catch {
    return { type: typeof value, value: "(cannot be displayed)" };
  }
}

function typeName(value: unknown): string {
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  const { name } = (value.constructor ?? {}) as { name?: unknown };
  return typeof name === "string" && name !== "" ? name : "object";
}

function shapeText({ rows, columns }: FrameShape): string {
  const listed = columns.slice(0, MAX_COLUMNS).map(([name, type]) => `${name} ${type}`);
  const more = columns.length > MAX_COLUMNS ? ["…"] : [];
  return `${rows.toLocaleString("en-US")} rows × ${columns.length} columns: ${[...listed, ...more].join(", ")}`;
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > MAX_VALUE ? `${line.slice(0, MAX_VALUE - 1)}…` : line;
}

/** The names that import statements declare. */
function importedNames(declarations: string): Set<string> {
  const statements = declarations.match(/^import\s[^;]*?\sfrom\s/gm) ?? [];
  return new Set(statements.flatMap((statement) => statement.match(/[\w$\u0080-\uffff]+/g) ?? []));
}
