import Module, { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";

/** The parts of Node's modules that it does not declare. */
interface InternalModule extends NodeJS.Module {
  _compile(code: string, path: string): unknown;
}

/** What cells import: local TypeScript files as the converter gives them, and everything that Node finds from a folder. */
export class CellModules {
  readonly require: NodeJS.Require;
  readonly #code = new Map<string, string>();
  readonly #loaded = new Map<string, InternalModule>();

  constructor(folder: string) {
    this.require = this.#requireFrom(createRequire(join(folder, "cell.js")), folder);
  }

  /** Takes the code of local modules, and forgets what was loaded of earlier versions. */
  update(modules: ReadonlyArray<{ readonly path: string; readonly data: string }>): void {
    for (const { path, data } of modules) {
      this.#loaded.delete(key(path));
      this.#code.set(key(path), data);
    }
  }

  #requireFrom(nodeRequire: NodeJS.Require, folder: string): NodeJS.Require {
    return new Proxy(nodeRequire, {
      apply: (target, self, [name, ...more]: [string]) =>
        this.#local(folder, name)?.exports ?? Reflect.apply(target, self, [name, ...more]),
    });
  }

  #local(folder: string, name: string): InternalModule | undefined {
    const plain = join(folder, name);
    const path = extname(plain) === "" ? `${plain}.js` : plain;
    const loaded = this.#loaded.get(key(path));
    const code = this.#code.get(key(path));
    if (loaded !== undefined || code === undefined) return loaded;

    const module = new Module(path) as InternalModule;
    module.filename = path;
    module.paths = createRequire(path).resolve.paths("x") ?? [];
    module.require = this.#requireFrom(module.require.bind(module) as NodeJS.Require, dirname(path));
    // Before it runs, so that modules can import each other in a circle.
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

/** TypeScript writes paths with slashes everywhere. */
function key(path: string): string {
  return path.replaceAll("\\", "/");
}
