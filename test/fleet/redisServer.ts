import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { endWithTests } from "./endWithTests.js";

const PROGRAM = "/usr/bin/redis-server";

/** Whether there is a Redis server. Without one, the tests of fleets are skipped, but not where it was asked for. */
export const HAS_REDIS = existsSync(PROGRAM);
if (!HAS_REDIS) {
  const what = `${PROGRAM} is missing: the tests of fleets are skipped`;
  if (process.env.REQUIRE_REDIS === "1") throw new Error(what);
  process.stderr.write(`${what}\n`);
}

/** A Redis server with an append-only file, which tests may restart. */
export interface RedisServer extends AsyncDisposable {
  /** With its password. */
  readonly url: string;
  /** A connection. */
  readonly redis: Redis;
  /** Kills it, and starts it again with what is on its disk. */
  restart(signal?: NodeJS.Signals): Promise<void>;
  /** Kills it. */
  stop(): Promise<void>;
  /** Everything that is on its disk. */
  onDisk(): Buffer;
}

const PASSWORD = "redis-pässword";

/** Starts a server on a free port of this machine, which writes what it is told to its disk at once, every second or never. */
export async function startRedis(fsync: "always" | "everysec" | "never" = "always"): Promise<RedisServer> {
  const dir = mkdtempSync(join(tmpdir(), "redis-"));
  const port = await freePort();
  const persistence = fsync === "never" ? ["--appendonly", "no"] : ["--appendonly", "yes", "--appendfsync", fsync];
  const flags = ["--port", String(port), "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--requirepass", PASSWORD];
  // What was written and removed stays in the file: tests look for secrets in it.
  const all = [...flags, ...persistence, "--auto-aof-rewrite-percentage", "0"];
  let server = await started(all);
  const redis = new Redis({ port, password: PASSWORD, maxRetriesPerRequest: null, retryStrategy: () => 50 });
  redis.on("error", () => undefined);
  return {
    url: `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`,
    redis,
    async restart(signal = "SIGKILL") {
      await end(server, signal);
      server = await started(all);
    },
    stop: () => end(server, "SIGKILL"),
    onDisk() {
      const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      return Buffer.concat(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name))));
    },
    async [Symbol.asyncDispose]() {
      redis.disconnect();
      await end(server, "SIGKILL");
    },
  };
}

async function started(flags: readonly string[]): Promise<ChildProcess> {
  const server = spawn(PROGRAM, flags, { stdio: ["ignore", "pipe", "inherit"] });
  endWithTests(server);
  let log = "";
  for await (const text of server.stdout) {
    log += text;
    if (log.includes("Ready to accept connections")) break;
  }
  server.stdout.resume();
  if (!log.includes("Ready to accept connections")) throw new Error(log);
  return server;
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, "exit");
  server.kill(signal);
  await ended;
}

/** A free port below those that systems give to outgoing connections, which may have taken it before a restart. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
