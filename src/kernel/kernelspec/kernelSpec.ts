import { existsSync } from "node:fs";
import { join } from "node:path";
import { invalid } from "../../errors/validators.js";
import { readReceivedFile } from "../../fs/readReceivedFile.js";
import { VERSION } from "../../util/version.js";
import type { Platform } from "./platform.js";

/** The name under which Jupyter knows the kernel, unless another one is given. */
export const KERNEL_NAME = "archive-frames";

/** What a `kernel.json` says. */
export interface KernelSpec {
  readonly argv: readonly string[];
  readonly display_name: string;
  readonly language: string;
  readonly interrupt_mode: "message" | "signal";
  readonly metadata: {
    /** Which version of this package wrote it; without this it is not ours. */
    readonly "archive-frames": { readonly version: string; readonly preload: boolean };
  };
}

/** The kernelspec of this version of the package, on this machine. */
export function kernelSpec(name: string, preload: boolean, { node, entry }: Platform): KernelSpec {
  return {
    // Absolute, since a server that was not started from a shell has another PATH, or none.
    argv: [node, entry, "{connection_file}", ...(preload ? ["--preload"] : [])],
    display_name: `TypeScript (${name})`,
    language: "typescript",
    // A message reaches the kernel also where a signal does not: in a loop after an `await`, and on Windows.
    interrupt_mode: "message",
    metadata: { "archive-frames": { version: VERSION, preload } },
  };
}

/**
 * The name of a kernelspec, as Jupyter takes it: it is looked up in lower case.
 *
 * @throws ValidationError for any other
 */
export function specName(name: string): string {
  if (/^[a-z0-9][a-z0-9-]*$/.test(name)) return name;
  throw invalid("name", name, "Give lower-case letters, digits and hyphens, for example archive-frames-dev.");
}

/** A spec that was found: ours; somebody else's; or a file that is none. */
export type FoundSpec = { readonly path: string } & (
  | { readonly kind: "ours"; readonly spec: KernelSpec }
  | { readonly kind: "foreign" }
);

/** A kernelspec has about a thousand. */
const MAX_BYTES = 2 ** 20;

/**
 * The spec of a name in a data folder; undefined where there is nothing of that name. The folder may have come with a project: a spec
 * behind a link is not ours, and a FIFO is not waited for.
 */
export function findSpec(dataFolder: string, name: string): FoundSpec | undefined {
  const kernels = join(dataFolder, "kernels");
  if (!existsSync(join(kernels, name))) return undefined;
  const path = join(kernels, name, "kernel.json");
  try {
    const text = readReceivedFile(kernels, `${name}/kernel.json`, MAX_BYTES).toString();
    const spec: Partial<KernelSpec> | null = JSON.parse(text);
    const ours = spec?.metadata?.["archive-frames"];
    const whole = typeof ours?.version === "string" && Array.isArray(spec?.argv);
    return whole ? { path, kind: "ours", spec: spec as KernelSpec } : { path, kind: "foreign" };
  } catch {
    return { path, kind: "foreign" };
  }
}
