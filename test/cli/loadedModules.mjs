// node --import loadedModules.mjs: appends every module that the process loads to the file LOADED_MODULES, one a line.
import { appendFileSync } from "node:fs";
import { createRequire, register } from "node:module";

const file = process.env.LOADED_MODULES;
const { cache } = createRequire(import.meta.url);
const HOOK = `
  import { appendFileSync } from "node:fs";
  export async function load(url, context, next) {
    appendFileSync(${JSON.stringify(file)}, url + "\\n");
    return next(url, context);
  }`;

register(`data:text/javascript,${encodeURIComponent(HOOK)}`);
// The hook does not see what CommonJS modules require.
process.on("exit", () => appendFileSync(file, `${Object.keys(cache).join("\n")}\n`));
