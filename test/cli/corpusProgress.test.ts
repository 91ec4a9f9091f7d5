import { afterEach, expect, it, vi } from "vitest";
import { CommandProgress } from "../../src/cli/print.js";
import type { ProgressEvent } from "../../src/index.js";

afterEach(() => void vi.restoreAllMocks());

it("a log has a line for each wait, and every half minute", () => {
  let lines = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    lines += text;
    return true;
  });
  const { report } = new CommandProgress(undefined);
  const event = { call: 1, operation: "mentions", query: "alpha", rows: 5, pages: 1, requests: 1, rate: 1 };
  for (const [seconds, waiting] of [[1], [29], [31], [40, 4], [61], [71]] as const)
    report({ ...event, seconds, waiting } as ProgressEvent);
  const line = "mentions alpha  5 rows  1 request  ";
  expect(lines).toBe(`${line}1 rows/s\n${line}waiting 4 s\n${line}1 rows/s\n`);
});
