import { describe, expect, it } from "vitest";
import { Prompts } from "../../src/kernel/prompts.js";
import { type Content, type Message, newHeader, Wire } from "../../src/kernel/protocol/wire.js";

/** Prompts whose requests are collected, and replies to them. */
function scripted(allow_stdin: unknown = true) {
  const sent: Content[] = [];
  const prompts = new Prompts((_request, content) => {
    sent.push(content);
    return `prompt-${sent.length}`;
  });
  prompts.begin(message("execute_request", { allow_stdin }));
  const answer = (value: unknown, parent: object = {}) =>
    prompts.answer({ ...message("input_reply", { value }), parent });
  return { prompts, sent, answer };
}

function message(type: string, content: Content): Message {
  return { identities: [], header: newHeader(type, "test"), parent: {}, metadata: {}, content };
}

const request = (prompt: string) => ({ prompt, password: true });
const turn = () => new Promise(setImmediate);

describe("prompts", () => {
  it.each([false, null, "yes"])("are unavailable if allow_stdin is %j", (allowed) => {
    expect(scripted(allowed).prompts.isAvailable).toBe(false);
  });

  it("are unavailable between cells", async () => {
    const { prompts } = scripted();
    prompts.end();
    expect(prompts.isAvailable).toBe(false);
    await expect(prompts.ask("late")).rejects.toThrow("The cell has ended");
  });

  it("are shown one at a time, in order", async () => {
    const { prompts, sent, answer } = scripted();
    const both = Promise.all([prompts.ask("first"), prompts.ask("second")]);
    await turn();
    expect(sent).toEqual([request("first")]);
    answer("1");
    await turn();
    expect(sent).toEqual([request("first"), request("second")]);
    answer("2");
    expect(await both).toEqual(["1", "2"]);
  });

  it("ignore replies to an earlier prompt, and without a text", async () => {
    const { prompts, answer } = scripted();
    const asked = prompts.ask("who?");
    await turn();
    answer("stale", { msg_id: "prompt-0" });
    answer(5);
    answer("right", { msg_id: "prompt-1" });
    expect(await asked).toBe("right");
    answer("nobody asked");
  });

  it("end with an interrupt, and the next one is shown", async () => {
    const { prompts, sent, answer } = scripted();
    const stop = new AbortController();
    const asked = prompts.ask("first", stop.signal);
    await turn();
    stop.abort(new Error("interrupted"));
    await expect(asked).rejects.toThrow("interrupted");
    const again = prompts.ask("again");
    await turn();
    expect(sent).toHaveLength(2);
    answer("late", { msg_id: "prompt-1" });
    answer("now", { msg_id: "prompt-2" });
    expect(await again).toBe("now");
  });

  it("are not blocked by a prompt of an earlier cell", async () => {
    const { prompts, sent } = scripted();
    void prompts.ask("never answered");
    await turn();
    prompts.end();
    prompts.begin(message("execute_request", { allow_stdin: true }));
    void prompts.ask("next cell");
    await turn();
    expect(sent).toHaveLength(2);
  });

  it("have answers that are removed from all texts if they are long enough", async () => {
    const { prompts, answer } = scripted();
    for (const value of ["s3cret-value", "the"]) {
      const asked = prompts.ask("what?");
      await turn();
      answer(value);
      expect(await asked).toBe(value);
    }
    const text = `s3cret-value ${Buffer.from("s3cret-value").toString("base64")} the end`;
    expect(prompts.redact(text)).toBe("[redacted] [redacted] the end");
    const wire = new Wire({ key: "", signature_scheme: "hmac-sha256" }, (value) => prompts.redact(value));
    const content = { data: { "application/json": { "s3cret-value": ["s3cret-value", { "a s3cret-value": 1 }] } } };
    const frames = wire.encode({ ...message("display_data", {}), content });
    expect(JSON.parse(String(frames.at(-1)))).toEqual({
      data: { "application/json": { "[redacted]": ["[redacted]", { "a [redacted]": 1 }] } },
    });
  });
});
