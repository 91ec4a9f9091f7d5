import { embeddedLoops } from "./embeddedLoops.js";
import { filesLoops } from "./filesLoops.js";
import { framesLoops } from "./framesLoops.js";
import type { Loop } from "./loop.js";
import { notebookLoops } from "./notebookLoops.js";
import { scanLoops } from "./scanLoops.js";
import { serviceLoops } from "./serviceLoops.js";
import { speechesLoops } from "./speechesLoops.js";
import { textLoops } from "./textLoops.js";

/** The loops of all modules; each module has a file. */
export const LOOPS: readonly Loop[] = [
  ...serviceLoops,
  ...framesLoops,
  ...scanLoops,
  ...speechesLoops,
  ...filesLoops,
  ...embeddedLoops,
  ...notebookLoops,
  ...textLoops,
];
