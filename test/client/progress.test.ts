import { expect, it, vi } from "vitest";
import type { ProgressEvent } from "../../src/index.js";
import { mention, queryOf, served } from "./clientTo.js";

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

it("has the pace to which refusals have slowed the client down, in searches and lookups", async () => {
  const events: ProgressEvent[] = [];
  const refused = new Set<string>();
  const { archive } = await served(
    (request) => {
      if (!refused.has(request.url)) {
        refused.add(request.url);
        return { status: 429, headers: { "retry-after": "0" } };
      }
      if (request.url.includes("/people/")) return { body: { people: [{ id: 8, name: "Ann" }] } };
      const { cursor = "0" } = queryOf(request);
      return { body: { cursor: `${Number(cursor) + 1}`, mentions: [mention(Number(cursor), { personid: 8 })] } };
    },
    { progress: (event) => void events.push(event) },
  );
  const isPaced = ({ pace = 0 }: ProgressEvent) => pace > 0;
  const frame = await archive.mentions("x", { maxItems: 3, limit: 1 });
  expect([events[0], events.at(-1)].map((event) => event && isPaced(event))).toEqual([false, true]);
  events.length = 0;
  await archive.withPeople(frame);
  expect(events.at(-1)).toSatisfy(isPaced);
});
