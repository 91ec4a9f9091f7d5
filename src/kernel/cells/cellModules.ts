import Module, { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";

/** Internals of Node's modules that it does not declare. */
interface InternalModule extends NodeJS.Module {
  _compile(code: string, path: string): unknown;
}

/** The modules that cells import: converted local TypeScript files, and whatever Node resolves from a directory. */
export class CellModules {
  readonly require: NodeJS.Require;
  readonly #code = new Map<string, string>();
  readonly #loaded = new Map<string, InternalModule>();

  constructor(directory: string) {
    this.require = this.#requireFrom(createRequire(join(directory, "cell.js")), directory);
  }

  /** Stores the code of local modules and unloads their earlier versions. */
  update(modules: ReadonlyArray<{ readonly path: string; readonly data: string }>): void {
    for (const { path, data } of modules) {
      this.#loaded.delete(key(path));
      this.#code.set(key(path), data);
    }
  }

  #requireFrom(nodeRequire: NodeJS.Require, directory: string): NodeJS.Require {
    return new Proxy(nodeRequire, {
      apply: (target, self, [name, ...more]: [string]) =>
        this.#local(directory, name)?.exports ?? Reflect.apply(target, self, [name, ...more]),
    });
  }

  #local(directory: string, name: string): InternalModule | undefined {
    const joined = join(directory, name);
    const path = extname(joined) === "" ? `${joined}.js` : joined;
    const loaded = this.#loaded.get(key(path));
    const code = this.#code.get(key(path));
    if (loaded !== undefined || code === undefined) return loaded;

    const module = new Module(path) as InternalModule;
    module.filename = path;
    module.paths = createRequire(path).resolve.paths("x") ?? [];
    module.require = this.#requireFrom(module.require.bind(module) as NodeJS.Require, dirname(path));
    // Registered before it runs, so that circular imports work.
    this.#loaded.set(key(path), module);
    try {
      module._compile(code, path);
    } catch (error) {
      this.#loaded.delete(key(path));
      throw error;
    }
    return module;
  }
}

/** TypeScript uses forward slashes on every platform. */
function key(path: string): string {
  return path.replaceAll("\\", "/");
}
