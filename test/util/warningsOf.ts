import { vi } from "vitest";

/** The warnings of some work, each by its code and text, and what the work gave. */
export async function warningsOf<T>(work: () => T | Promise<T>): Promise<{ result: T; warnings: [unknown, string][] }> {
  const spy = vi.spyOn(process, "emitWarning").mockReturnValue();
  try {
    const result = await work();
    const calls = spy.mock.calls as unknown as [text: unknown, options?: { code?: string }][];
    return { result, warnings: calls.map(([text, options]) => [options?.code, String(text)]) };
  } finally {
    spy.mockRestore();
  }
}
