import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EXIT_PORT_TAKEN } from "../../src/kernel/protocol/connection.js";
import { temporaryFolder } from "../files/temporary.js";

const MAIN = join(import.meta.dirname, "../../dist/kernel/main.js");

it("a kernel whose port is in use exits with EXIT_PORT_TAKEN", async () => {
  const server = createServer();
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
  );
  const file = join(temporaryFolder(), "connection.json");
  const ports = { shell_port: port, iopub_port: port, stdin_port: port, control_port: port, hb_port: port };
  const how = { transport: "tcp", ip: "127.0.0.1", key: randomUUID(), signature_scheme: "hmac-sha256" };
  writeFileSync(file, JSON.stringify({ ...how, ...ports }));
  const { status, stderr } = spawnSync(process.execPath, [MAIN, file], { encoding: "utf8" });
  server.close();
  expect(stderr).toContain("The kernel failed to start");
  expect(status).toBe(EXIT_PORT_TAKEN);
});
