import { escapedLines } from "../util/quoted.js";
import { startKernel } from "./kernel.js";
import { refuseDescriptor } from "./outputs/refuseDescriptor.js";
import { PORTS_TAKEN } from "./portsTaken.js";
import { readConnection } from "./protocol/connection.js";

const [path, ...flags] = process.argv.slice(2);

if (path === undefined || flags.some((flag) => flag !== "--preload")) {
  process.stderr.write("Jupyter starts this kernel: node main.js <connection file> [--preload]\n");
  process.exit(2);
}

refuseDescriptor();
try {
  await startKernel(readConnection(path), { preload: flags.includes("--preload") });
} catch (error) {
  process.stderr.write(`The kernel cannot start: ${escapedLines((error as Error).message)}\n`);
  process.exit((error as NodeJS.ErrnoException).code === "EADDRINUSE" ? PORTS_TAKEN : 1);
}
