import Module, { createRequire } from "node:module";
import { parentPort } from "node:worker_threads";
import type { Converter, Diagnostic as TslabDiagnostic } from "tslab/dist/converter.js";
import type { ConverterMethods, ConverterRequest, ConverterResponse, Diagnostic } from "./converter.js";
import { mapSharedPackages } from "./mapSharedPackages.js";
import { patchTypeScript } from "./patchTypeScript.js";

const require = createRequire(import.meta.url);

/** tslab's converter, extended with source maps and the kernel's own packages. */
function tslabConverter(): ConverterMethods {
  const original: typeof import("typescript") = require("typescript");
  mapSharedPackages(original.sys, original.sys.getCurrentDirectory());
  const { ts, takeMaps } = patchTypeScript(original);
  // tslab's own `require` finds the patched TypeScript in the module cache instead of its old one.
  const path = createRequire(require.resolve("tslab")).resolve("@tslab/typescript-for-tslab");
  require.cache[path] = Object.assign(new Module(path), { exports: ts, loaded: true });
  const { createConverter, isCompleteCode } =
    require("tslab/dist/converter.js") as typeof import("tslab/dist/converter.js");
  const { getCodeMetadata } = require("tslab/dist/metadata.js") as typeof import("tslab/dist/metadata.js");

  let converter: Converter = createConverter();
  /** After a failure inside TypeScript, the state of its watch program is unknown. */
  const withRecovery = <T>(use: (converter: Converter) => T): T => {
    try {
      return use(converter);
    } catch (error) {
      converter = createConverter();
      throw error;
    }
  };
  return {
    convert: (declarations, code) =>
      withRecovery((converter) => {
        const metadata = getCodeMetadata(code);
        if (metadata.module !== undefined) {
          return { diagnostics: converter.addModule(metadata.module, code, metadata).map(toDiagnostic), declarations };
        }
        const result = converter.convert(declarations, code);
        return {
          diagnostics: result.diagnostics.map(toDiagnostic),
          output: result.output,
          declarations: result.declOutput ?? "",
          lastExpression: result.lastExpressionVar,
          maps: result.output === undefined ? undefined : takeMaps(result.output),
          modules: result.sideOutputs,
        };
      }),
    complete: (declarations, code, position) =>
      withRecovery((converter) => {
        const { start, end, candidates } = converter.complete(declarations, code, position);
        return { start, end, candidates };
      }),
    inspect: (declarations, code, position) =>
      withRecovery((converter) => converter.inspect(declarations, code, position) as unknown as string | undefined),
    isComplete: isCompleteCode,
  };
}

function toDiagnostic({ start, end, messageText, fileName }: TslabDiagnostic): Diagnostic {
  const length = end.line === start.line ? end.character - start.character : 1;
  const line = start.line + 1;
  return { file: fileName, line, column: start.character + 1, length: Math.max(1, length), message: messageText };
}

const methods: ConverterMethods = tslabConverter();

parentPort?.on("message", (request: ConverterRequest) => {
  parentPort?.postMessage(respond(request));
});

function respond({ id, method, args }: ConverterRequest): ConverterResponse {
  try {
    return { id, value: (methods[method] as (...args: unknown[]) => unknown)(...args) };
  } catch (error) {
    return { id, error: `TypeScript itself failed: ${(error as Error).message}` };
  }
}
