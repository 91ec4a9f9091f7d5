import type { Verdict } from "./provenanceRecorder.js";

/** How a call ended. */
interface Outcome {
  readonly verdict: Verdict;
  readonly reason: string | null | undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  "capped one page": "first page only",
  "capped head": "capped by head()",
  "stopped ABORTED": "interrupted",
};

/** The verdict of a result, in words. */
export function verdictText({ verdict, reason }: Outcome): string {
  if (verdict === "complete" || !reason) return verdict;
  return REASONS[`${verdict} ${reason}`] ?? (verdict === "capped" ? `capped by ${reason}` : `stopped: ${reason}`);
}
