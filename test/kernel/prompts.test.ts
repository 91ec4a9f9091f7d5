import { describe, expect, it } from "vitest";
import { Prompts } from "../../src/kernel/prompts.js";
import { type Content, encodeMessage, type Message, newHeader } from "./kernelClient.js";

/** Prompts whose requests are collected, and replies to them. */
function scripted() {
  const sent: unknown[] = [];
  const prompts = new Prompts((_request, { prompt }) => `prompt-${sent.push(prompt)}`);
  prompts.request = message("execute_request", { allow_stdin: true });
  const answer = (value: unknown, parent: object = {}) =>
    prompts.answer({ ...message("input_reply", { value }), parent });
  return { prompts, sent, answer };
}

function message(type: string, content: Content): Message {
  return { identities: [], header: newHeader(type, "test"), parent: {}, content };
}

const turn = () => new Promise(setImmediate);

describe("prompts", () => {
  it("ignore replies to earlier ones, and end with an interrupt", async () => {
    const { prompts, sent, answer } = scripted();
    const first = prompts.ask("first");
    await expect(prompts.ask("at once")).rejects.toThrow("Await its answer first");
    answer(5);
    answer("1", { msg_id: "prompt-1" });
    expect(await first).toBe("1");
    const second = prompts.ask("second");
    answer("late", { msg_id: "prompt-1" });
    answer("2", { msg_id: "prompt-2" });
    expect(await second).toBe("2");
    const stop = new AbortController();
    const third = prompts.ask("third", stop.signal);
    stop.abort(new Error("interrupted"));
    await expect(third).rejects.toThrow("interrupted");
    expect(sent).toEqual(["first", "second", "third"]);
    prompts.request = message("execute_request", { allow_stdin: "yes" });
    expect(prompts.isAvailable).toBe(false);
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
    const { parts } = encodeMessage("iopub", message("display_data", content), (text) => prompts.redact(text));
    const redacted = { "[redacted]": ["[redacted]", { "a [redacted]": 1 }], text: "[redacted] the end" };
    expect(JSON.parse(parts.at(-1) as string)).toEqual(redacted);
  });
});
