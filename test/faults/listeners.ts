import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { expect } from "vitest";

/** Checks that a process listens on a port of the loopback interface only, by Linux's /proc and by the other addresses of this machine. */
export async function expectLoopbackOnly(port: number): Promise<void> {
  const lines = ["tcp", "tcp6"].flatMap((table) => readFileSync(`/proc/net/${table}`, "latin1").split("\n").slice(1));
  const listening = lines.map((line) => line.trim().split(/\s+/)).filter((fields) => fields[3] === "0A");
  const addresses = listening
    .map((fields) => (fields[1] as string).split(":") as [string, string])
    .filter(([, hex]) => Number.parseInt(hex, 16) === port)
    .map(([hex]) => [...Buffer.from(hex, "hex")].reverse().join("."));
  expect(addresses).toEqual(["127.0.0.1"]);
  for (const { internal, family, address } of Object.values(networkInterfaces()).flatMap((all) => all ?? [])) {
    if (internal || family !== "IPv4") continue;
    const outcome = await new Promise((resolve) => {
      const socket = connect(port, address, () => resolve("connected"));
      socket.once("error", () => resolve("refused"));
    });
    expect(outcome).toBe("refused");
  }
}
