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
  const { signals, printed, ended } = run();
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
  const { signals, printed, ended } = run();
  const [, header = "", url = ""] = /curl -H 'x-api-key: (.*?)' '(.*?)'/.exec(await printed) ?? [];
  expect((await fetch(url, { headers: { "x-api-key": header } })).status).toBe(200);
  signals.emit("SIGINT");
  await ended;
});

test.each([
  ["--port", "x"],
  ["--port", ""],
  ["--port", "70000"],
  ["--latency", "1"],
])("serve refuses %s %j", async (...options) => {
  await expect(run(...options).ended).rejects.toThrow();
});
