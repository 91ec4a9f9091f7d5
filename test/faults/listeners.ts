import { readFileSync } from "node:fs";
import type { NetworkInterfaceInfo } from "node:os";

/** The addresses on which a process listens on a TCP port of this machine, from Linux's /proc. */
export function listeningAddresses(port: number): string[] {
  const lines = ["tcp", "tcp6"].flatMap((table) => readFileSync(`/proc/net/${table}`, "latin1").split("\n").slice(1));
  const local = lines.map((line) => line.trim().split(/\s+/)).filter((fields) => fields[3] === "0A");
  return local
    .map((fields) => (fields[1] as string).split(":") as [string, string])
    .filter(([, hex]) => Number.parseInt(hex, 16) === port)
    .map(([hex]) => [...Buffer.from(hex, "hex")].reverse().join("."));
}

/** The addresses at which other machines reach this one. */
export function externalAddresses(interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): string[] {
  return Object.values(interfaces)
    .flatMap((all) => all ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .map(({ address }) => address);
}
