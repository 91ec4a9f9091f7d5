// node saveMany.mjs <folder> <name>…: saves a frame under each name, all at once.
import { join } from "node:path";
import { pl, saveFrame } from "../../dist/index.js";

const [folder, ...names] = process.argv.slice(2);
await Promise.all(names.map((name) => saveFrame(pl.DataFrame({ a: [1] }), join(folder, name))));
