import { naive, ours, raw } from "./contenders.mjs";
import { startServer } from "./startServer.mjs";

/** The chains that are harvested: how many rows, in pages of how many, and how much longer than the download that may take. */
export const HARVESTS = {
  harvest20: { total: 20_000, pageRows: 20, goal: 1.15 },
  harvest1000: { total: 100_000, pageRows: 1000, goal: 1.1 },
};

/** Starts the server of a harvest. Its chain can only be walked one page after another. */
export function serverOf({ total, pageRows }) {
  return startServer({ total, pageRows, cursorOnly: true });
}

/** Opens a contender by name: "ours", "raw" or "naive". Nothing can be requested concurrently in a chain. */
export function openContender(name, url, { total, pageRows }) {
  if (name === "ours") return ours(url, total, { pageSize: pageRows, concurrency: 1, progress: false });
  return name === "raw" ? raw(url, pageRows) : naive(url, pageRows);
}
