import { createRequire } from "node:module";
import { VERSION } from "../util/version.js";
import { type Content, PROTOCOL } from "./protocol/message.js";

/** The content of `kernel_info_reply`. */
export function kernelInfo(): Content {
  return {
    protocol_version: PROTOCOL,
    implementation: "archive-frames",
    implementation_version: VERSION,
    banner: `TypeScript with archive-frames ${VERSION}, on tslab`,
    help_links: [],
    language_info: {
      name: "typescript",
      // From the manifest: loading TypeScript would delay the reply by seconds.
      version: (createRequire(import.meta.url)("typescript/package.json") as { version: string }).version,
      mimetype: "text/typescript",
      file_extension: ".ts",
      pygments_lexer: "typescript",
      nbconvert_exporter: "script",
      // JupyterLab highlights cells by `mode`, the classic notebook by `name` and `typescript`.
      codemirror_mode: { mode: "typescript", name: "javascript", typescript: true },
    },
  };
}
