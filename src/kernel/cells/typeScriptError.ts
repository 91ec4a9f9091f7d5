import type { Fault } from "../converter/converter.js";

/** A cell that TypeScript does not accept; nothing of it has run. */
export class TypeScriptError extends Error {
  override readonly name = "TypeScriptError";

  constructor(readonly faults: readonly Fault[]) {
    super(faults.map(faultLine).join("\n"));
  }
}

/** A fault in one line, as tslab writes it: `2:7 - Type 'number' is not assignable to type 'string'.` */
export function faultLine({ file, line, column, message }: Fault): string {
  return `${file === undefined ? "" : `${file} `}${line}:${column} - ${message}`;
}
