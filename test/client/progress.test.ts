import { expect, it, vi } from "vitest";
import { served } from "./clientTo.js";

const CALLBACKS: Readonly<Record<string, () => unknown>> = {
  throws() {
    throw new Error("no bar");
  },
  rejects: () => Promise.reject(new Error("no bar")),
};

it.each(Object.entries(CALLBACKS))(
  "a progress callback that %s is reported once, and the call goes on",
  async (_, progress) => {
    const warn = vi.spyOn(process, "emitWarning").mockClear().mockReturnValue();
    let id = 0;
    const { archive } = await served(() => ({ body: { bills: [{ id: ++id }], cursor: `c${id}` } }), {
      progress: progress as () => void,
    });
    expect((await archive.bills("x", { maxItems: 5 })).height).toBe(5);
    expect((await archive.bills("x", { maxItems: 5 })).height).toBe(5);
    await new Promise(setImmediate);
    expect(warn).toHaveBeenCalledOnce();
    const [message, options] = warn.mock.calls[0] as unknown as [string, object];
    expect(message).toContain("no bar");
    expect(options).toEqual({ type: "ArchiveFramesWarning", code: "PROGRESS_FAILED" });
  },
);

it("no limit is none, not one of Infinity rows", async () => {
  const limits = new Set<unknown>();
  const { archive } = await served(() => ({ body: { bills: [{ id: 1, billtitle: "a" }] } }), {
    progress: ({ maxItems }) => limits.add(maxItems),
  });
  await archive.bills("x", { maxItems: Number.POSITIVE_INFINITY });
  expect([...limits]).toEqual([undefined]);
  await archive.bills("x", { maxItems: 5 });
  expect([...limits]).toEqual([undefined, 5]);
});
