import { existsSync } from "node:fs";
import { join } from "node:path";
import { invalid } from "../../errors/validators.js";
import { readReceivedFile } from "../../fs/readReceivedFile.js";
import { VERSION } from "../../util/version.js";
import type { Platform } from "./dataDirectories.js";

/** Default name of the kernel in Jupyter. */
export const KERNEL_NAME = "archive-frames";

/** The content of a `kernel.json`. */
export interface KernelSpec {
  readonly argv: readonly string[];
  readonly display_name: string;
  readonly language: string;
  readonly interrupt_mode: "message" | "signal";
  readonly metadata: {
    /** JupyterLab lists variables only for kernels with a debugger. */
    readonly debugger: boolean;
    /** The version of this package that wrote it; absent in kernelspecs of others. */
    readonly "archive-frames": { readonly version: string; readonly preload: boolean };
  };
}

/** Creates the kernelspec of this version on this machine. */
export function kernelSpec(name: string, preload: boolean, { node, entry }: Platform): KernelSpec {
  return {
    // Absolute, because a server that was not started from a shell may have another PATH.
    argv: [node, entry, "{connection_file}", ...(preload ? ["--preload"] : [])],
    display_name: `TypeScript (${name})`,
    language: "typescript",
    // A message reaches the kernel where a signal does not: in a loop after an `await`, and on Windows.
    interrupt_mode: "message",
    metadata: { debugger: true, "archive-frames": { version: VERSION, preload } },
  };
}

/**
 * Checks the name of a kernelspec: Jupyter looks it up in lower case.
 *
 * @throws ValidationError for any other name
 */
export function specName(name: string): string {
  if (/^[a-z0-9][a-z0-9-]*$/.test(name)) return name;
  throw invalid("name", name, "Give lower-case letters, digits and hyphens, for example archive-frames-dev.");
}

/** A kernelspec that was found: ours, or anything else of that name. */
export type FoundSpec = { readonly path: string } & (
  | { readonly kind: "ours"; readonly spec: KernelSpec }
  | { readonly kind: "foreign" }
);

/** A kernelspec has about a thousand bytes. */
const MAX_BYTES = 2 ** 20;

/**
 * Finds a kernelspec by name in a data directory; undefined if nothing has that name. The directory may be part of a received
 * project: a kernelspec behind a symbolic link counts as foreign, and a FIFO does not block.
 */
export function findSpec(directory: string, name: string): FoundSpec | undefined {
  const kernels = join(directory, "kernels");
  if (!existsSync(join(kernels, name))) return undefined;
  const path = join(kernels, name, "kernel.json");
  try {
    const text = readReceivedFile(kernels, `${name}/kernel.json`, MAX_BYTES).toString();
    const spec: Partial<KernelSpec> | null = JSON.parse(text);
    const ours = spec?.metadata?.["archive-frames"];
    const isOurs = typeof ours?.version === "string" && Array.isArray(spec?.argv);
    return isOurs ? { path, kind: "ours", spec: spec as KernelSpec } : { path, kind: "foreign" };
  } catch {
    return { path, kind: "foreign" };
  }
}
