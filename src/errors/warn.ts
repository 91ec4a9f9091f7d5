/** The name of this package's warnings. Notebooks show them below the cell. */
export const WARNING = "ArchiveFramesWarning";

/** The texts that `warnOnce` has emitted. Tests clear it before each file: which of them warned before depends on their order. */
export const emittedTexts = new Set<string>();

export function warn(code: string, text: string): void {
  process.emitWarning(text, { type: WARNING, code });
}

/** Emits a warning once per process. */
export function warnOnce(code: string, text: string): void {
  if (emittedTexts.has(text)) return;
  emittedTexts.add(text);
  warn(code, text);
}
