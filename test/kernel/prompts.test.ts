import { describe, expect, it } from "vitest";
import { Prompts } from "../../src/kernel/prompts.js";
import { type Content, encoded, type Message, newHeader } from "../../src/kernel/protocol/message.js";

/** Prompts whose requests are collected, and replies to them. */
function scripted(allow_stdin: unknown = true) {
  const sent: unknown[] = [];
  const prompts = new Prompts((_request, { prompt }) => `prompt-${sent.push(prompt)}`);
  prompts.begin(message("execute_request", { allow_stdin }));
  const answer = (value: unknown, parent: object = {}) =>
    prompts.answer({ ...message("input_reply", { value }), parent });
  return { prompts, sent, answer };
}

function message(type: string, content: Content): Message {
  return { identities: [], header: newHeader(type, "test"), parent: {}, metadata: {}, content };
}

const turn = () => new Promise(setImmediate);

describe("prompts", () => {
  it("are available only while a front end shows them", () => {
    expect([true, false, null, "yes"].map((allowed) => scripted(allowed).prompts.isAvailable)).toEqual([
      true,
      ...[false, false, false],
    ]);
  });

  it("are shown one at a time, ignore replies to earlier ones, and end with an interrupt or without a front end", async () => {
    const { prompts, sent, answer } = scripted();
    const stop = new AbortController();
    const answers = Promise.allSettled([
      prompts.ask("first"),
      prompts.ask("second", stop.signal),
      prompts.ask("third"),
      prompts.ask("fourth"),
    ]);
    await turn();
    answer(5);
    answer("1", { msg_id: "prompt-1" });
    await turn();
    stop.abort(new Error("interrupted"));
    await turn();
    answer("late", { msg_id: "prompt-2" });
    answer("3", { msg_id: "prompt-3" });
    await turn();
    prompts.fail();
    expect(await answers).toMatchObject([
      { value: "1" },
      { reason: { message: "interrupted" } },
      { value: "3" },
      { reason: { message: expect.stringContaining("has not connected its stdin channel") } },
    ]);
    expect(sent).toEqual(["first", "second", "third", "fourth"]);
  });

  it("have answers that are removed from every part of a message", async () => {
    const { prompts, answer } = scripted();
    for (const value of ["s3cret-value", "the"]) {
      const asked = prompts.ask("what?");
      await turn();
      answer(value);
      expect(await asked).toBe(value);
    }
    const base64 = Buffer.from("s3cret-value").toString("base64");
    const content = { "s3cret-value": ["s3cret-value", { "a s3cret-value": 1 }], text: `${base64} the end` };
    const { parts } = encoded("iopub", message("display_data", content), (text) => prompts.redact(text));
    const redacted = { "[redacted]": ["[redacted]", { "a [redacted]": 1 }], text: "[redacted] the end" };
    expect(JSON.parse(parts.at(-1) as string)).toEqual(redacted);
  });
});
