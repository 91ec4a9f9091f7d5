import { readFileSync } from "node:fs";

/** A figure of this process in /proc, in MB; without /proc, the other one in bytes. */
function figureMb(name, instead) {
  try {
    return Number(new RegExp(`${name}:\\s*(\\d+) kB`).exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024;
  } catch {
    return instead / 2 ** 20;
  }
}

/** Peak memory of this process. Without /proc, `maxRSS` stands in, which may include the parent's. */
export const peakMb = () => figureMb("VmHWM", process.resourceUsage().maxRSS * 1024);

/** Memory of this process, without memory-mapped files. */
export const anonymousMb = () => figureMb("RssAnon", process.memoryUsage.rss());
