// node saveMany.mjs <folder> <name>…: saves a frame under each name, all at once, as soon as it is told to by a line.
import { once } from "node:events";
import { join } from "node:path";
import { pl, saveFrame } from "../../dist/index.js";

const [folder, ...names] = process.argv.slice(2);
process.stdout.write("ready\n");
await once(process.stdin, "data");
process.stdin.destroy();
await Promise.all(names.map((name) => saveFrame(pl.DataFrame({ a: [1] }), join(folder, name))));
