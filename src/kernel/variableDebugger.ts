import { inspect } from "node:util";
import { shapeText } from "../notebook/display/grid.js";
import { clip } from "../util/quoted.js";
import type { Variables } from "./cells/evaluator.js";
import { valueBundle } from "./cells/valueBundle.js";
import { type FrameShape, frameShape } from "./completion.js";
import type { Content } from "./protocol/wire.js";

/** What a {@link VariableDebugger} works with. */
interface DebugContext {
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
    case "disconnect":
      return {};
    case "inspectVariables":
      return { variables: listVariables(context) };
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
  return { data: await valueBundle(variables[name], (text) => text.slice(0, MAX_TEXT)), metadata: {} };
}

/** Number of variables listed. */
const MAX_VARIABLES = 1000;

/** Longer values are cut. */
const MAX_VALUE = 199;

/** Texts are cut before they are redacted; what remains must be long enough to be recognized as a secret. */
const INSPECT = { depth: 1, maxArrayLength: 10, maxStringLength: 1000, breakLength: Number.POSITIVE_INFINITY } as const;

/** Number of columns in the value of a frame. */
const MAX_COLUMNS = 10;

/**
 * Lists the variables of all cells, sorted by name: frames with their shape and the types of their columns, everything else with a
 * short value. What cells have imported is left out.
 */
function listVariables({ variables, declarations, redact }: DebugContext): Content[] {
  const imports = declarations.match(/^import\s[^;]*?\sfrom\s/gm) ?? [];
  const imported = new Set(imports.flatMap((statement) => statement.match(/[\w$\u0080-\uffff]+/g) ?? []));
  const names = Object.keys(variables).filter((name) => !imported.has(name));
  return names
    .sort()
    .slice(0, MAX_VARIABLES)
    .map((name) => {
      const { type, value } = describe(variables[name]);
      const line = clip(redact(value).replace(/\s+/g, " "), MAX_VALUE);
      // A reference of 0 says that it has no members to list.
      return { name, evaluateName: name, type, value: line, variablesReference: 0 };
    });
}

/** Type and value; user code in getters and custom formats may throw. */
function describe(value: unknown): { type: string; value: string } {
  try {
    const shape = frameShape(value);
    return shape === undefined
      ? { type: typeName(value), value: inspect(value, INSPECT) }
      : { type: "DataFrame", value: frameText(shape) };
  } catch {
    return { type: typeof value, value: "(cannot be displayed)" };
  }
}

function typeName(value: unknown): string {
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  const { name } = (value.constructor ?? {}) as { name?: unknown };
  return typeof name === "string" && name !== "" ? name : "object";
}

function frameText({ rows, columns }: FrameShape): string {
  const listed = columns.slice(0, MAX_COLUMNS).map(([name, type]) => `${name} ${type}`);
  const more = columns.length > MAX_COLUMNS ? ["…"] : [];
  return `${shapeText(rows, columns.length)}: ${[...listed, ...more].join(", ")}`;
}
