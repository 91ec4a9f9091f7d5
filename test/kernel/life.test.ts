import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../files/temporary.js";
import { LONG } from "../scale.js";
import { KernelClient } from "./kernelClient.js";
import { BEGUN, begunCell, kernelEnv } from "./kernels.js";

const folder = temporaryFolder();
const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const open: KernelClient[] = [];

async function start(): Promise<KernelClient> {
  const client = await KernelClient.start(folder, kernelEnv());
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
    const { process } = client;
    if (state !== "idle") {
      const rest = state === "waiting" ? "await new Promise(() => {})" : "await null; for (;;) {}";
      await begunCell(client, `${BEGUN}\n${rest}`);
    }
    const reply = client.request("shutdown_request", { restart: true }, undefined, channel).catch(() => undefined);
    const code = await exitOf(process);
    expect(code).toBe(state === "in a loop" ? "SIGKILL" : 0);
    if (state === "idle") expect(await reply).toEqual({ status: "ok", restart: true });
  });

  it("exits when its parent process is gone, even in a loop", async () => {
    const pidFile = join(folder, "pid");
    const loop = `require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); for (;;) {}`;
    const cells = [{ cell_type: "code", metadata: {}, source: loop, outputs: [], execution_count: null }];
    writeFileSync(join(folder, "loop.ipynb"), JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 4 }));
    rmSync(pidFile, { force: true });
    const parent = spawn(process.execPath, [MAIN, "run", "loop.ipynb"], { cwd: folder, stdio: "ignore" });
    while (!existsSync(pidFile)) await new Promise((resolve) => setTimeout(resolve, 50));
    const pid = Number(readFileSync(pidFile, "utf8"));
    parent.kill("SIGKILL");
    await exitOf(parent);
    while (alive(pid)) await new Promise((resolve) => setTimeout(resolve, 50));
  });
});

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
