import type { Variables } from "./variables.js";

/** Declarations before the first cell, for notebooks without imports. */
export const PRELOADED = `import { pl } from "archive-frames";
import { chart, display, show } from "archive-frames/notebook";
declare let archive: import("archive-frames").ArchiveClient;
`;

/** The value of each preloaded name. */
const SOURCES = {
  pl: (require: NodeJS.Require) => require("archive-frames").pl,
  archive: (require: NodeJS.Require) => require("archive-frames").openArchive(),
  chart: (require: NodeJS.Require) => require("archive-frames/notebook").chart,
  display: (require: NodeJS.Require) => require("archive-frames/notebook").display,
  show: (require: NodeJS.Require) => require("archive-frames/notebook").show,
} satisfies Record<string, (require: NodeJS.Require) => unknown>;

/**
 * Sets the preloaded names that a cell uses, on first use: a notebook that needs no archive opens none, and a notebook that
 * declares such a name itself keeps its own.
 *
 * @param output the converted cell, in which names of earlier cells are members of `exports`
 */
export async function preload(output: string, variables: Variables, require: NodeJS.Require): Promise<void> {
  for (const [name, source] of Object.entries(SOURCES)) {
    const used = new RegExp(`\\bexports\\.${name}\\b(?!\\s*=(?!=))`).test(output);
    if (used && !(name in variables)) variables[name] = await source(require);
  }
}
