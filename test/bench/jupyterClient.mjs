import { spawn } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Dealer, Subscriber } from "zeromq";

/** Starts a kernel and waits until it answers. @param argv its command, without the connection file */
export async function startKernel(argv) {
  const servers = Array.from({ length: 5 }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const [shell_port, iopub_port, stdin_port, control_port, hb_port] = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  const ports = { shell_port, iopub_port, stdin_port, control_port, hb_port };
  const key = randomUUID();
  const file = join(mkdtempSync(join(tmpdir(), "bench-")), "kernel.json");
  writeFileSync(
    file,
    JSON.stringify({ transport: "tcp", ip: "127.0.0.1", key, signature_scheme: "hmac-sha256", ...ports }),
  );
  const [command, ...args] = argv;
  const child = spawn(command, [...args, file], { cwd: tmpdir(), stdio: "ignore", detached: true });
  const shell = new Dealer({ linger: 0, reconnectInterval: 10 });
  const iopub = new Subscriber({ linger: 0, reconnectInterval: 10 });
  shell.connect(`tcp://127.0.0.1:${shell_port}`);
  iopub.connect(`tcp://127.0.0.1:${iopub_port}`);
  iopub.subscribe();
  const watchers = new Set();
  (async () => {
    for await (const frames of iopub) {
      const [header, parent, , content] = frames.slice(-4).map((frame) => JSON.parse(frame));
      for (const watcher of watchers) watcher(header.msg_type, parent.msg_id, content);
    }
  })();
  /** Sends a request; resolves with the time of its first text or result when the kernel is idle again. */
  const request = async (msg_type, content) => {
    const header = { msg_id: randomUUID(), msg_type, session: "bench", username: "bench", date: "", version: "5.3" };
    let shown;
    const idle = new Promise((resolve) => {
      watchers.add(function watcher(type, parent, { execution_state }) {
        if (parent !== header.msg_id) return;
        if (type === "stream" || type === "execute_result") shown ??= performance.now();
        if (execution_state !== "idle") return;
        watchers.delete(watcher);
        resolve();
      });
    });
    const parts = [JSON.stringify(header), "{}", "{}", JSON.stringify(content)];
    const signature = createHmac("sha256", key).update(parts.join("")).digest("hex");
    await shell.send(["<IDS|MSG>", signature, ...parts]);
    await idle;
    return shown;
  };
  // What a kernel publishes before the subscription is active is lost.
  while (!(await Promise.race([request("kernel_info_request", {}).then(() => true), pause(20)])));
  return {
    pid: child.pid,
    execute: (code) => request("execute_request", { code, silent: false, store_history: true, allow_stdin: false }),
    /** Stock tslab leaves a process behind that keeps a core busy. */
    close() {
      process.kill(-child.pid, "SIGKILL");
      shell.close();
      iopub.close();
    },
  };
}
