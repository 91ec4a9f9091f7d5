import type { Locals } from "./locals.js";

/** The declarations that stand before the first cell when the user wants names without an import. */
export const PRELOADED = `import { pl } from "archive-frames";
import { chart, display, show } from "archive-frames/notebook";
declare let archive: import("archive-frames").ArchiveClient;
`;

/** Where each name comes from. */
const SOURCES = {
  pl: (require: NodeJS.Require) => require("archive-frames").pl,
  archive: (require: NodeJS.Require) => require("archive-frames").openArchive(),
  chart: (require: NodeJS.Require) => require("archive-frames/notebook").chart,
  display: (require: NodeJS.Require) => require("archive-frames/notebook").display,
  show: (require: NodeJS.Require) => require("archive-frames/notebook").show,
} satisfies Record<string, (require: NodeJS.Require) => unknown>;

/**
 * Gives a cell the preloaded names that it uses, when it first uses them: a notebook that needs no archive opens none, and
 * one that declares such a name itself keeps its own.
 *
 * @param output the code of the cell, in which names of earlier cells are members of `exports`
 */
export async function preload(output: string, locals: Locals, require: NodeJS.Require): Promise<void> {
  for (const [name, source] of Object.entries(SOURCES)) {
    const used = new RegExp(`\\bexports\\.${name}\\b(?!\\s*=(?!=))`).test(output);
    if (used && !(name in locals)) locals[name] = await source(require);
  }
}
