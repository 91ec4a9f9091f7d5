import { createRequire } from "node:module";
import { notebookHost } from "../../call/notebookHost.js";
import type { DisplayHandle } from "../../notebook/display/mimeBundle.js";

/** The MIME types of tslab's display functions, by name. */
const TYPES = {
  javascript: "text/javascript",
  html: "text/html",
  markdown: "text/markdown",
  latex: "text/latex",
  svg: "image/svg+xml",
  png: "image/png",
  jpeg: "image/jpeg",
  gif: "image/gif",
  pdf: "application/pdf",
  text: "text/plain",
} as const;

type Content = string | Uint8Array;

/** The module `tslab` of cells: notebooks written for tslab run, without a second kernel in this process. */
export function tslabModule() {
  const require = createRequire(import.meta.url);
  const version = (name: string) => (require(`${name}/package.json`) as { version: string }).version;
  return {
    __esModule: true,
    versions: { tslab: version("tslab"), typescript: version("typescript"), node: process.version },
    display: displayFunctions(false),
    newDisplay: () => displayFunctions(true),
  };
}

/** @param isReplaced whether each output replaces the one before */
function displayFunctions(isReplaced: boolean) {
  let shown: DisplayHandle | undefined;
  const raw = (type: string, content: Content) => {
    const data = typeof content === "string" ? content : Buffer.from(content).toString("base64");
    const bundle = { "text/plain": typeof content === "string" ? content : `${content.length} bytes`, [type]: data };
    if (shown !== undefined) shown.update(bundle);
    else {
      const handle = notebookHost().display?.(bundle);
      if (isReplaced) shown = handle;
    }
  };
  const named = Object.entries(TYPES).map(([name, type]) => [name, (content: Content) => raw(type, content)]);
  return { ...Object.fromEntries(named), raw };
}
