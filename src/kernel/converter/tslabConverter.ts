import { createRequire } from "node:module";
import type { Converter, ConvertResult, Diagnostic } from "tslab/dist/converter.js";
import type { CellMaps, Conversion, ConverterCalls, Fault } from "./converter.js";
import { withholdDocumentation } from "./documentation.js";
import { mapOwnFiles } from "./ownFiles.js";
import { type TypeScript, typescriptForCells } from "./typescriptForCells.js";

const require = createRequire(import.meta.url);

/** The converter of tslab, which finds our own packages from everywhere and keeps source maps. */
export function tslabConverter(): ConverterCalls {
  const typescript = createRequire(require.resolve("tslab")).resolve("@tslab/typescript-for-tslab");
  const original: TypeScript = require(typescript);
  mapOwnFiles(original.sys, original.sys.getCurrentDirectory());
  const readDocumentation = withholdDocumentation(original.sys);
  const { ts, mapsOf } = typescriptForCells(original);
  // tslab takes TypeScript from the cache of modules.
  (require.cache[typescript] as NodeJS.Module).exports = ts;
  const { createConverter, isCompleteCode } =
    require("tslab/dist/converter.js") as typeof import("tslab/dist/converter.js");
  const { getCodeMetadata } = require("tslab/dist/metadata.js") as typeof import("tslab/dist/metadata.js");
  const { printQuickInfo } = require("tslab/dist/inspect.js") as typeof import("tslab/dist/inspect.js");

  let converter: Converter = createConverter();
  /** After a failure inside TypeScript its watching program is in no known state. */
  const guarded = <T>(use: (converter: Converter) => T): T => {
    try {
      return use(converter);
    } catch (error) {
      converter = createConverter();
      throw error;
    }
  };
  return {
    convert: (declarations, code) =>
      guarded((converter) => {
        const metadata = getCodeMetadata(code);
        if (metadata.module !== undefined) {
          return { faults: converter.addModule(metadata.module, code, metadata).map(fault), declarations };
        }
        const result = converter.convert(declarations, code);
        return conversion(result, result.output === undefined ? undefined : mapsOf(result.output));
      }),
    complete: (declarations, code, position) =>
      guarded((converter) => {
        const { start, end, candidates } = converter.complete(declarations, code, position);
        return { start, end, candidates };
      }),
    inspect: (declarations, code, position) =>
      guarded((converter) => {
        readDocumentation();
        const info = converter.inspect(declarations, code, position);
        return info === undefined ? undefined : printQuickInfo(info);
      }),
    isComplete: isCompleteCode,
  };
}

function conversion(result: ConvertResult, maps: CellMaps | undefined): Conversion {
  return {
    faults: result.diagnostics.map(fault),
    output: result.output,
    declarations: result.declOutput ?? "",
    lastExpression: result.lastExpressionVar,
    maps,
    modules: result.sideOutputs,
  };
}

function fault({ start, end, messageText, fileName }: Diagnostic): Fault {
  const length = end.line === start.line ? end.character - start.character : 1;
  const line = start.line + 1;
  return { file: fileName, line, column: start.character + 1, length: Math.max(1, length), message: messageText };
}
