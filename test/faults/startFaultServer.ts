import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { FaultOrder, FaultReport } from "./server/FaultyService.js";

/** A service that misbehaves. */
export interface OrderedService {
  readonly url: string;
  /** From now on it behaves. */
  heal(): Promise<void>;
  /** Ends it when nothing is open any more, or some seconds have passed. */
  end(): Promise<FaultReport>;
}

/** A running fault server. */
export interface FaultServer extends AsyncDisposable {
  order(what: FaultOrder): Promise<OrderedService>;
  /** How many connections came to the origin that nobody is to ask. */
  strangers(): Promise<number>;
}

const inside = (name: string) => fileURLToPath(new URL(`server/${name}`, import.meta.url));

/** Starts the fault server in a process of its own. */
export async function startFaultServer(): Promise<FaultServer> {
  const child = spawn(process.execPath, ["--import", inside("typescript.mjs"), inside("main.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const control = String(line).trim();
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(control + path, { method, ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as T;
  };
  return {
    async order(what) {
      const { id, url } = await ask<{ id: string; url: string }>("POST", "/services", what);
      const path = `/services/${id}`;
      return { url, heal: () => ask("POST", path), end: () => ask<FaultReport>("DELETE", path) };
    },
    strangers: async () => (await ask<{ connections: number }>("GET", "/elsewhere")).connections,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
}
