import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { temporaryFolder } from "../files/temporary.js";
import type { Notebook } from "../notebook/notebookFiles.js";
import { KernelClient } from "./kernelClient.js";

/** Variables that keep the live service out, whatever the environment of the tests contains. */
export function kernelEnv(): NodeJS.ProcessEnv {
  const XDG_STATE_HOME = join(process.env.RUN_DIRECTORY ?? tmpdir(), "state");
  return { ARCHIVE_API_KEY: undefined, CSPAN_API_KEY: undefined, ARCHIVE_BASE_URL: undefined, XDG_STATE_HOME };
}

/** Code that names the host of a cell. */
export const HOST = 'const host = (globalThis as any)[Symbol.for("archive-frames.host")];\n';

/** Code that tells `begun` of a kernel. A display is sent immediately, even from a loop. */
export const BEGUN = '(globalThis as any)[Symbol.for("archive-frames.host")].display({ "text/plain": "begun" });';

/** One kernel for all tests of a file, in a directory outside every project. */
export function useKernel(env: NodeJS.ProcessEnv = {}, directory = temporaryFolder()): KernelClient {
  const kernel = new KernelClient(directory, { ...kernelEnv(), ...env });
  beforeAll(() => kernel.start());
  afterAll(() => kernel.close());
  return kernel;
}

/** The kernel of this process, for files whose tests do not mind what others have declared in it: starting one takes seconds. */
const shared = globalThis as { testKernel?: KernelClient };

/**
 * One kernel for all files that this process tests, in a directory outside every project. It exits with the process.
 * Nothing tells when the last file has been tested, so all that it leaves is in a directory that is removed after the run.
 *
 * @param setup a cell to run before the tests
 */
export function useSharedKernel(setup = ""): KernelClient {
  shared.testKernel ??= new KernelClient(mkdtempSync(join(process.env.RUN_DIRECTORY ?? "", "kernel-")), kernelEnv());
  const kernel = shared.testKernel;
  beforeAll(async () => {
    await kernel.start();
    await kernel.value(setup);
  });
  return kernel;
}

/** A notebook of code cells. A source that starts with `#` is Markdown; a first line `// tags:` sets tags. */
export function notebook(...sources: string[]): Notebook {
  const cells = sources.map((source, at) => {
    const tags = /^\/\/ tags: (.*)/.exec(source)?.[1]?.split(" ") ?? [];
    const cell = { id: `cell-${at}`, metadata: { tags }, source };
    return source.startsWith("#")
      ? { ...cell, cell_type: "markdown" as const }
      : { ...cell, cell_type: "code" as const, outputs: [], execution_count: 99 };
  });
  return { cells, metadata: { title: "kept" }, nbformat: 4, nbformat_minor: 5 };
}

/** Installs a package with a JavaScript file and its types. */
export function writePackage(directory: string, code: string, types: string): void {
  mkdirSync(directory, { recursive: true });
  const manifest = { name: basename(directory), version: "1.0.0", main: "index.js", types: "index.d.ts" };
  writeFileSync(join(directory, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(directory, "index.js"), code);
  writeFileSync(join(directory, "index.d.ts"), types);
}
