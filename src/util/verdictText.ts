const REASONS: Readonly<Record<string, string>> = {
  "capped one page": "first page only",
  "capped head": "capped by head()",
  "stopped ABORTED": "interrupted",
};

/** The verdict of a result, in words. */
export function verdictText({ verdict, reason }: { verdict: string; reason: string | null | undefined }): string {
  if (!reason) return verdict;
  if (verdict === "complete") return `complete ${reason}`;
  return REASONS[`${verdict} ${reason}`] ?? (verdict === "capped" ? `capped by ${reason}` : `stopped: ${reason}`);
}
