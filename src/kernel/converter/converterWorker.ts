import { relative } from "node:path";
import { parentPort } from "node:worker_threads";
import type * as TS from "typescript";
import { LINES_BEFORE } from "../cells/cellPositions.js";
import { loadTslab } from "../patches/tslab.js";
import type { ConverterMethods, ConverterRequest, ConverterResponse, Diagnostic } from "./converter.js";

const { typescript, createConverter, isCompleteCode, report } = loadTslab();
let converter = createConverter();

const methods: ConverterMethods = {
  convert(declarations, code) {
    const result = converter.convert(declarations, code);
    const toDiagnostics = (diagnostics: readonly TS.Diagnostic[]) =>
      diagnostics.map((each) => toDiagnostic(typescript, each, code));
    const diagnostics = toDiagnostics(report.errors);
    // TypeScript remembers where it found nothing, and the module may be installed or written before the next cell.
    if (diagnostics.some(({ message }) => message.startsWith("Cannot find module"))) setImmediate(restart);
    return {
      diagnostics,
      warnings: toDiagnostics(report.warnings),
      output: result.output,
      declarations: result.declOutput ?? "",
      lastExpression: result.lastExpressionVar,
      modules: result.sideOutputs,
    };
  },
  complete: (declarations, code, position) => converter.complete(declarations, code, position),
  inspect: (declarations, code, position) =>
    converter.inspect(declarations, code, position) as unknown as string | undefined,
  isComplete(code) {
    const { completed, indent } = isCompleteCode(code);
    return completed ? { status: "complete" } : { status: "incomplete", indent };
  },
};

function restart(): void {
  converter.close();
  converter = createConverter();
}

function toDiagnostic(
  ts: typeof TS,
  { file, start = 0, length = 1, messageText }: TS.Diagnostic,
  code: string,
): Diagnostic {
  const message = ts.flattenDiagnosticMessageText(messageText, "\n");
  const { line, character } = file?.getLineAndCharacterOfPosition(start) ?? { line: 0, character: 0 };
  const isCell = file?.fileName.endsWith("/__tslab__.ts") ?? true;
  const source = isCell ? code.split(/\r?\n/)[line - LINES_BEFORE] : undefined;
  return {
    file: isCell || file === undefined ? undefined : relative(process.cwd(), file.fileName),
    line: line + 1 - (isCell ? LINES_BEFORE : 0),
    column: character + 1,
    length: Math.max(1, Math.min(length, (source?.length ?? 0) - character)),
    source,
    message,
  };
}

parentPort?.on("message", ({ method, args, port }: ConverterRequest) => {
  const respond = (response: ConverterResponse) => port.postMessage(response);
  try {
    respond({ value: (methods[method] as (...args: unknown[]) => unknown)(...args) });
  } catch (error) {
    respond({ error: `TypeScript itself failed: ${(error as Error).message}` });
    // The state of its watch program is unknown.
    restart();
  }
});
