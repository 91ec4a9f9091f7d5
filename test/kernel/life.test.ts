import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../files/temporary.js";
import { writeNotebook } from "../notebook/notebookFiles.js";
import { KernelClient } from "./kernelClient.js";
import { BEGUN, kernelEnv, notebook } from "./kernels.js";

const folder = temporaryFolder();
const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
describe("a kernel", () => {
  it.each([
    ["idle", ""],
    ["waiting", "await new Promise(() => {})"],
    ["in a loop", "await null; for (;;) {}"],
  ])("exits on a shutdown request, %s", async (state, code) => {
    const client = new KernelClient(folder, kernelEnv());
    onTestFinished(() => client.close());
    await client.start();
    if (code !== "") await client.begun(`${BEGUN}\n${code}`);
    const exit = once(client.process, "exit");
    const reply = client.request("shutdown_request", { restart: true }, "control");
    expect(await exit).toEqual(state === "in a loop" ? [null, "SIGKILL"] : [0, null]);
    if (state === "idle") expect(await reply).toEqual({ status: "ok", restart: true });
  });

  it("exits when its parent process is gone, even in a loop", async () => {
    const pidFile = join(folder, "pid");
    const loop = `require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); for (;;) {}`;
    writeNotebook(join(folder, "loop.ipynb"), notebook(loop));
    const parent = spawn(process.execPath, [MAIN, "run", "loop.ipynb"], { cwd: folder, stdio: "ignore" });
    await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8")).toMatch(/^\d+$/);
    const pid = Number(readFileSync(pidFile, "utf8"));
    parent.kill("SIGKILL");
    // A signal to a process that is gone is an error.
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 600_000);
  });
});
