/** The TypeScript API, in the version that tslab uses. */
export type TypeScript = typeof import("@tslab/typescript-for-tslab");

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
