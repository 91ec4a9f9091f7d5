import { readFileSync } from "node:fs";
import { expect } from "vitest";

/** Checks by Linux's /proc that processes listen on a port of the loopback interface only. */
export function expectLoopbackOnly(port: number): void {
  const lines = ["tcp", "tcp6"].flatMap((table) => readFileSync(`/proc/net/${table}`, "latin1").split("\n").slice(1));
  const listening = lines.map((line) => line.trim().split(/\s+/)).filter((fields) => fields[3] === "0A");
  const addresses = listening
    .map((fields) => (fields[1] as string).split(":") as [string, string])
    .filter(([, hex]) => Number.parseInt(hex, 16) === port)
    .map(([hex]) => [...Buffer.from(hex, "hex")].reverse().join("."));
  expect(addresses).toEqual(["127.0.0.1"]);
}
