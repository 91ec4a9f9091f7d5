import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Starts a Redis server on a free port of this machine, with an append-only file. */
export async function startRedis(dir) {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  const flags = ["--port", port, "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "yes"];
  const server = spawn("redis-server", flags.map(String), { stdio: ["ignore", "pipe", "inherit"] });
  await output(server.stdout, "Ready to accept");
  return { url: `redis://127.0.0.1:${port}`, stop: () => server.kill("SIGKILL") };
}

/** Starts workers, and waits until they are connected. */
export async function startWorkers(count, baseUrl, queue, storage, concurrency) {
  const env = { ...process.env, ARCHIVE_API_KEY: "key", ARCHIVE_BASE_URL: baseUrl, ARCHIVE_QUEUE: queue };
  const flags = [MAIN, "work", "--storage", storage, "--concurrency", String(concurrency)];
  const workers = Array.from({ length: count }, () =>
    spawn(process.execPath, flags, { env, stdio: ["ignore", "inherit", "pipe"] }),
  );
  await Promise.all(workers.map(({ stderr }) => output(stderr, "working")));
  return {
    async stop() {
      for (const worker of workers) worker.kill("SIGTERM");
      await Promise.all(workers.map((worker) => once(worker, "exit")));
    },
  };
}

async function output(stream, text) {
  let all = "";
  await new Promise((resolve) => {
    stream.on("data", (more) => {
      all += more;
      if (all.includes(text)) resolve();
    });
  });
}
