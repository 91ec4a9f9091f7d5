import { inspect } from "node:util";
import type { MimeBundle } from "../../notebook/display/mimeBundle.js";
import { loadDisplay } from "../cells/resultBundle.js";
import type { Variables } from "../cells/variables.js";
import type { Content } from "../protocol/message.js";
import { listVariables } from "./variableList.js";

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
