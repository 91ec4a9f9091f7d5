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

test.each(["SIGINT", "SIGTERM"])("serve prints a curl line that works until %s", async (signal) => {
  const { signals, printed, ended } = run();
  const text = await printed;
  const [, key = "", url = ""] = /curl -H '(x-api-key: .*?)' '(.*?)'/.exec(text) ?? [];
  const headers = { "x-api-key": key.slice("x-api-key: ".length) };
  expect((await fetch(url, { headers })).status).toBe(200);
  expect(text).toContain(`export ARCHIVE_API_KEY='${headers["x-api-key"]}'`);
  expect(url).toContain(/export ARCHIVE_BASE_URL='(.*)'/.exec(text)?.[1]);
  signals.emit(signal);
  await ended;
  expect(signals.eventNames()).toEqual([]);
  await expect(fetch(url)).rejects.toThrow();
});

test.each([
  ["--port", "x"],
  ["--port", ""],
  ["--port", "70000"],
  ["--latency", "1"],
])("serve refuses %s %j", async (...options) => {
  await expect(run(...options).ended).rejects.toThrow();
});
