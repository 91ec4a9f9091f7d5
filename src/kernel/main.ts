import { escapedLines } from "../util/quoted.js";
import { startKernel } from "./kernel.js";
import { readConnection } from "./protocol/connection.js";

const [path, ...more] = process.argv.slice(2);
if (more.length > 0 || (path === undefined && process.send === undefined)) {
  process.stderr.write("Usage: node main.js <connection file>. Jupyter starts this kernel.\n");
  process.exit(2);
}
try {
  startKernel(path === undefined ? undefined : readConnection(path));
} catch (error) {
  process.stderr.write(`The kernel failed to start: ${escapedLines((error as Error).message)}\n`);
  process.exit(1);
}
