import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

/**
 * Lets whoever reads the descriptor of standard input itself be refused by the system, at once: it becomes one for writing.
 * To be called while this is the only thread: another one that opens a file between the two calls would get the number 0,
 * and libuv ends a process that closes that.
 */
export function refuseDescriptor(): void {
  closeSync(0);
  openSync(devNull, "w");
}
