import { startKernel } from "./kernel.js";
import { readConnection } from "./protocol/connection.js";

const path = process.argv[2];
startKernel(path === undefined ? undefined : readConnection(path));
