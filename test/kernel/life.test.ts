import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { KernelClient } from "../../src/kernel/headless/kernelClient.js";
import { temporaryFolder } from "../files/temporary.js";
import { runProcess } from "../runProcess.js";
import { LONG, sampled } from "../scale.js";
import { BEGUN, begunCell, builtKernel, ENTRY } from "./kernels.js";

const folder = temporaryFolder();
const open: KernelClient[] = [];

async function start(): Promise<KernelClient> {
  const client = await KernelClient.start(builtKernel(), folder);
  open.push(client);
  return client;
}

/** Exit code or signal of a process. */
async function exitOf(process: ChildProcess): Promise<unknown> {
  if (process.exitCode === null && process.signalCode === null) await once(process, "exit");
  return process.exitCode ?? process.signalCode;
}

afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

it("starts once more if another process has taken one of its ports, and exits on a shutdown request to shell", async () => {
  const [marker, script] = [join(folder, "starts"), join(folder, "taken.mjs")];
  // The first one takes a port of its kernel itself.
  const taking = `import { appendFileSync, readFileSync, statSync } from "node:fs";
    import { once } from "node:events";
    import { createServer } from "node:net";
    appendFileSync(${JSON.stringify(marker)}, ".");
    const { shell_port: port, ip } = JSON.parse(readFileSync(process.argv[2], "utf8"));
    const isFirst = statSync(${JSON.stringify(marker)}).size === 1;
    if (isFirst) await once(createServer().listen(port, ip), "listening");
    await import(${JSON.stringify(pathToFileURL(ENTRY).href)});`;
  writeFileSync(script, taking);
  const client = await KernelClient.start(
    { argv: [process.execPath, script, "{connection_file}"], transport: "tcp" },
    folder,
  );
  open.push(client);
  expect(readFileSync(marker, "utf8")).toBe("..");
  expect(client.info.implementation).toBe("archive-frames");
  const reply = client.request("shutdown_request", { restart: true }, undefined, "shell");
  expect(await exitOf(client.kernel.process)).toBe(0);
  expect(await reply).toEqual({ status: "ok", restart: true });
});

describe("a kernel", () => {
  it.each([
    // In `npm test`, the loop covers these cases: it cannot end by itself either.
    ...(LONG
      ? ([
          ["control", "idle"],
          ["control", "waiting"],
        ] as const)
      : []),
    ["control", "in a loop"],
  ] as const)("exits on a shutdown request to %s, %s", async (channel, state) => {
    const client = await start();
    const { process } = client.kernel;
    if (state !== "idle") {
      const rest = state === "waiting" ? "await new Promise(() => {})" : "await null; for (;;) {}";
      await begunCell(client, `${BEGUN}\n${rest}`);
    }
    const reply = client.request("shutdown_request", { restart: true }, undefined, channel).catch(() => undefined);
    const code = await exitOf(process);
    expect(code).toBe(state === "in a loop" ? "SIGKILL" : 0);
    if (state === "idle") expect(await reply).toEqual({ status: "ok", restart: true });
  });

  it("exits on SIGTERM, even in a loop", async () => {
    const client = await start();
    await begunCell(client, `${BEGUN}\nfor (;;) {}`);
    client.kernel.process.kill("SIGTERM");
    expect(await exitOf(client.kernel.process)).toBe("SIGTERM");
  });

  it("terminates the child processes of its cells when killed", async () => {
    const client = await start();
    await begunCell(
      client,
      `import { spawn } from "node:child_process";
const child = spawn("sleep", ["1000"]);
require("node:fs").writeFileSync("pid", String(child.pid));
${BEGUN}
for (;;) {}`,
    );
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    expect(alive(pid)).toBe(true);
    client.kernel.kill();
    while (alive(pid)) await new Promise((resolve) => setTimeout(resolve, 50));
  });

  it.each([...(LONG ? ["idle"] : []), "in a loop"])("exits when its parent process is gone, %s", async (state) => {
    // A separate parent process to kill; it prints the pid of its kernel.
    const source = new URL("../../dist/kernel/headless/kernelClient.js", import.meta.url).href;
    const code = `const { KernelClient } = await import(${JSON.stringify(source)});
const client = await KernelClient.start({}, ${JSON.stringify(folder)});
const loop = ${state !== "idle"};
const begun = loop ? new Promise((resolve) => client.execute("console.log('begun'); await new Promise((r) => setTimeout(r, 100)); for (;;) {}", ({ header }) => header.msg_type === "stream" && resolve())) : undefined;
await begun;
console.log(client.kernel.process.pid);
setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", code], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [pid] = (await once(parent.stdout, "data")) as [Buffer];
    parent.kill("SIGKILL");
    await exitOf(parent);
    while (alive(Number(pid))) await new Promise((resolve) => setTimeout(resolve, 50));
  });

  it.each(
    sampled<[string[], number, string]>(
      [
        [["x", "--unknown"], 2, "Jupyter starts this kernel"],
        [["{empty}"], 1, "shell_port"],
        [["/nowhere/kernel.json"], 1, "(ENOENT)"],
        [["{no json}"], 1, "not valid JSON"],
        [[], 2, "Jupyter starts this kernel"],
      ],
      2,
    ),
  )("rejects %j with a clear message", async (parameters, status, words) => {
    writeFileSync(join(folder, "{empty}"), "{}");
    writeFileSync(join(folder, "{no json}"), "key");
    const ended = await runProcess(process.execPath, [ENTRY, ...parameters], { cwd: folder });
    expect(ended).toMatchObject({ status, stderr: expect.stringContaining(words) });
    expect(ended.stderr).not.toMatch(/ at .*\.js:/);
  });
});

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
