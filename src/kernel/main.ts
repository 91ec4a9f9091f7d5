import { escapedLines } from "../util/quoted.js";
import { startKernel } from "./kernel.js";
import { blockStdinDescriptor } from "./outputs/standardStreams.js";
import { EXIT_PORT_TAKEN, readConnection } from "./protocol/connection.js";

const [path, ...flags] = process.argv.slice(2);

if (path === undefined || flags.some((flag) => flag !== "--preload")) {
  process.stderr.write("Usage: node main.js <connection file> [--preload]. Jupyter starts this kernel.\n");
  process.exit(2);
}

blockStdinDescriptor();
try {
  await startKernel(readConnection(path), { preload: flags.includes("--preload") });
} catch (error) {
  process.stderr.write(`The kernel failed to start: ${escapedLines((error as Error).message)}\n`);
  process.exit((error as NodeJS.ErrnoException).code === "EADDRINUSE" ? EXIT_PORT_TAKEN : 1);
}
