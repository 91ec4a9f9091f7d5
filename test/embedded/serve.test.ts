import { EventEmitter } from "node:events";
import { Command } from "commander";
import { expect, test } from "vitest";
import { serveCommand } from "../../src/cli/serve.js";

/** Runs `serve` with arguments; `printed` resolves with its text, `ended` when the command is over. */
function run(...options: string[]) {
  const signals = new EventEmitter();
  let write = (_text: string): void => {};
  const printed = new Promise<string>((resolve) => {
    write = resolve;
  });
  const serve = serveCommand(signals, (text) => write(text));
  const root = new Command("archive-frames").addCommand(serve);
  for (const command of [root, serve]) command.exitOverride().configureOutput({ writeErr: () => {} });
  return { signals, printed, ended: root.parseAsync(["serve", ...options], { from: "user" }) };
}

test.each(["SIGINT", "SIGTERM"])("serve runs until %s and then releases the port", async (signal) => {
  const { signals, printed, ended } = run("--size", "10");
  const url = /export ARCHIVE_BASE_URL='(.*)'/.exec(await printed)?.[1] ?? "";
  const key = /export ARCHIVE_API_KEY='(.*)'/.exec(await printed)?.[1] ?? "";
  const answer = await fetch(`${url}/people/6153`, { headers: { "x-api-key": key } });
  expect(answer.status).toBe(200);
  signals.emit(signal);
  await ended;
  expect(signals.eventNames()).toEqual([]);
  await expect(fetch(`${url}/people/6153`)).rejects.toThrow();
});

test("serve prints a curl line that works", async () => {
  const { signals, printed, ended } = run("--size", "10");
  const [, header = "", url = ""] = /curl -H 'x-api-key: (.*?)' '(.*?)'/.exec(await printed) ?? [];
  expect((await fetch(url, { headers: { "x-api-key": header } })).status).toBe(200);
  signals.emit("SIGINT");
  await ended;
});

test("serve accepts its options", async () => {
  const { signals, printed, ended } = run(..."--seed -5 --size 0 --latency 1 --quota 1 --port 0".split(" "));
  const url = /export ARCHIVE_BASE_URL='(.*)'/.exec(await printed)?.[1] ?? "";
  const ask = () => fetch(`${url}/mentions?query=the`, { headers: { "x-api-key": "embedded-archive" } });
  const first = await ask();
  expect(Object.keys((await first.json()) as object)).toEqual(["cursor"]);
  expect((await ask()).status).toBe(429);
  signals.emit("SIGTERM");
  await ended;
});

test("serve --limit-exceeded refuses as the gateway of the live service does", async () => {
  const { signals, printed, ended } = run(..."--size 0 --quota 0 --limit-exceeded".split(" "));
  const url = /export ARCHIVE_BASE_URL='(.*)'/.exec(await printed)?.[1] ?? "";
  const refused = await fetch(`${url}/bills?query=x`, { headers: { "x-api-key": "embedded-archive" } });
  expect([refused.status, await refused.json()]).toEqual([429, { message: "Limit Exceeded" }]);
  expect(refused.headers.get("x-amzn-errortype")).toBe("LimitExceededException");
  expect(refused.headers.get("x-amzn-requestid")).toMatch(/^[\da-f-]{36}$/);
  expect(refused.headers.get("retry-after")).toBeNull();
  signals.emit("SIGINT");
  await ended;
});

test.each([
  ["--limit-exceeded"],
  ["--port", "x"],
  ["--port", "70000"],
  ["--size", "1.5"],
  ["--quota", ""],
  ["--sise", "1"],
])("serve refuses %s %j", async (...options) => {
  await expect(run(...options).ended).rejects.toThrow();
});
