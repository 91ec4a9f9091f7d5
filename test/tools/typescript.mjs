// node --import ./typescript.mjs file.ts: runs TypeScript in a child process, even on Node 20.
import { readFileSync } from "node:fs";
import { register } from "node:module";
import { fileURLToPath } from "node:url";

register(
  `data:text/javascript,${encodeURIComponent(`
    import { load as loadTypeScript, resolve as resolveTypeScript } from ${JSON.stringify(import.meta.url)};
    export const load = loadTypeScript;
    export const resolve = resolveTypeScript;
  `)}`,
);

/** Maps imports of .js files to the .ts sources. */
export async function resolve(specifier, context, next) {
  const isOurs = specifier.startsWith(".") && context.parentURL?.endsWith(".ts");
  return next(isOurs ? specifier.replace(/\.js$/, ".ts") : specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith(".ts")) return next(url, context);
  const { default: ts } = await import("typescript");
  const compilerOptions = { target: "es2022", module: "esnext", verbatimModuleSyntax: true };
  const { outputText } = ts.transpileModule(readFileSync(fileURLToPath(url), "utf8"), { compilerOptions });
  return { format: "module", source: outputText, shortCircuit: true };
}
