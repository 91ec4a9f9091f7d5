import { naive, ours, raw } from "./contenders.mjs";
import { startServer } from "./startServer.mjs";

/** The chains of pages: number of rows, rows per page, and the goal for the time relative to the bare download. */
export const CHAINS = {
  pages20: { total: 20_000, pageRows: 20, goal: 1.15 },
  pages1000: { total: 100_000, pageRows: 1000, goal: 1.1 },
};

/** Starts the server of a chain. Its pages can only be fetched in order. */
export function serverOf({ total, pageRows }) {
  return startServer({ total, pageRows, cursorOnly: true });
}

/** Opens a contender by name: "ours", "raw" or "naive". The chain allows no concurrent requests. */
export function openContender(name, url, { total, pageRows }) {
  if (name === "ours") return ours(url, total, { pageSize: pageRows, concurrency: 1, progress: false });
  return name === "raw" ? raw(url, pageRows) : naive(url, pageRows);
}
