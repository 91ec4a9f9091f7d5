import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import type { FaultOrder, FaultReport } from "./server/FaultyService.js";

/** A service with a fault. */
export interface OrderedService {
  readonly url: string;
  /** Removes the fault. */
  heal(): Promise<void>;
  /** Stops it when no connection is open, or after a few seconds. */
  end(): Promise<FaultReport>;
}

/** A running fault server. */
export interface FaultServer {
  order(what: FaultOrder): Promise<OrderedService>;
  /** The number of connections to the origin that no client may contact. */
  strayConnections(): Promise<number>;
}

const inside = (name: string) => fileURLToPath(new URL(`server/${name}`, import.meta.url));

/** Starts the fault server as a child process, which ends after the tests of the file. */
export async function startFaultServer(): Promise<FaultServer> {
  const child = spawn(process.execPath, ["--import", inside("typescript.mjs"), inside("main.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  afterAll(async () => {
    const ended = once(child, "exit");
    child.stdin.end();
    await ended;
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const control = String(line).trim();
  const request = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(control + path, { method, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as T;
  };
  return {
    async order(what) {
      const { id, url } = await request<{ id: string; url: string }>("POST", "/services", what);
      const path = `/services/${id}`;
      return { url, heal: () => request("POST", path), end: () => request<FaultReport>("DELETE", path) };
    },
    strayConnections: async () => (await request<{ connections: number }>("GET", "/elsewhere")).connections,
  };
}
