import { readFileSync } from "node:fs";

/** The part of WebAssembly that is used here. The types of Node leave it out. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly;

const modules = new Map<string, object>();

/** Creates an instance of a module that `npm run build` has compiled into `dist`, and returns its exports. */
export function loadWasm<Exports>(file: string): Exports {
  const module = modules.get(file) ?? new Module(read(file));
  modules.set(file, module);
  return new Instance(module).exports as Exports;
}

function read(file: string): Uint8Array {
  try {
    // dist is at the same place seen from src/util and from dist/util.
    return readFileSync(new URL(`../../dist/${file}`, import.meta.url));
  } catch (cause) {
    throw new Error(`dist/${file} is missing. Run npm run build; a bundler has to leave archive-frames external.`, {
      cause,
    });
  }
}
