/** The TypeScript API. */
export type TypeScript = typeof import("typescript");

/** Functions of TypeScript that it does not declare. */
export interface TypeScriptInternals {
  readonly nullTransformationContext: unknown;
  readonly Completions: {
    getCompletionsAtPosition(...parameters: unknown[]): unknown;
  };
  readonly SymbolDisplay: {
    getSymbolDisplayPartsDocumentationAndSymbolKind(...parameters: unknown[]): {
      readonly displayParts?: ReadonlyArray<{ readonly text: string }>;
    };
  };
  getTouchingPropertyName(file: unknown, position: number): import("typescript").Node;
  getContainerNode(node: unknown): unknown;
  getEffectiveTypeRoots(options: object, host: object): string[] | undefined;
}

/** The parts of TypeScript's view of the file system that the converter replaces. */
export interface System {
  readFile(path: string, encoding?: string): string | undefined;
  fileExists(path: string): boolean;
  directoryExists(path: string): boolean;
  getDirectories(path: string): string[];
  readDirectory(path: string, ...more: never[]): string[];
  realpath?(path: string): string;
  watchFile?: unknown;
  watchDirectory?: unknown;
}
