import type { ProgressEvent } from "../../src/index.js";

/** A progress event, with some members changed. */
export function progressEvent(changes: Partial<ProgressEvent> = {}): ProgressEvent {
  return {
    call: 1,
    operation: "mentions",
    rows: 2400,
    pages: 24,
    requests: 24,
    seconds: 3,
    rate: 800.4,
    maxItems: undefined,
    waiting: undefined,
    verdict: undefined,
    reason: undefined,
    ...changes,
  };
}
