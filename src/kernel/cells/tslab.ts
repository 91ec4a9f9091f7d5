import { createRequire } from "node:module";
import { notebookHost } from "../../call/notebookHost.js";
import type { DisplayHandle } from "../../notebook/display/mimeBundle.js";

const require = createRequire(import.meta.url);

/** The versions of tslab, TypeScript and Node. */
export const versions = {
  tslab: version(require, "tslab"),
  typescript: version(require, "typescript"),
  node: process.version,
};

/** This kernel's implementation of the display API that tslab provides to cells; its types come from tslab. */
class Display {
  readonly #show: (type: string, content: unknown) => void;

  constructor(show: (type: string, content: unknown) => void) {
    this.#show = show;
  }

  javascript = (text: string) => this.raw("text/javascript", text);
  html = (text: string) => this.raw("text/html", text);
  markdown = (text: string) => this.raw("text/markdown", text);
  latex = (text: string) => this.raw("text/latex", text);
  svg = (text: string) => this.raw("image/svg+xml", text);
  png = (bytes: Uint8Array) => this.raw("image/png", bytes);
  jpeg = (bytes: Uint8Array) => this.raw("image/jpeg", bytes);
  gif = (bytes: Uint8Array) => this.raw("image/gif", bytes);
  pdf = (bytes: Uint8Array) => this.raw("application/pdf", bytes);
  text = (text: string) => this.raw("text/plain", text);

  raw(type: string, content: string | Uint8Array): void {
    this.#show(type, content instanceof Uint8Array ? Buffer.from(content).toString("base64") : content);
  }
}

/** Displays each content below the previous one. */
export const display = new Display((type, content) => void open({ [type]: content }));

/** Creates a display whose content each call replaces. */
export function newDisplay(): Display {
  let opened: DisplayHandle | undefined;
  return new Display((type, content) => {
    const bundle = { [type]: content };
    if (opened === undefined) opened = open(bundle);
    else opened.update(bundle);
  });
}

function open(bundle: Record<string, unknown>): DisplayHandle {
  const { display } = notebookHost();
  if (display === undefined) throw new Error("Not ready");
  return display(bundle);
}

function version(from: NodeJS.Require, name: string): string {
  return (from(`${name}/package.json`) as { version: string }).version;
}
