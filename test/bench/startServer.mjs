import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { request } from "undici";

/** Starts `server.mjs`, or another server of this directory, with these options. */
export async function startServer(options, script = "server.mjs") {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), [JSON.stringify(options)]);
  const [port] = await once(child, "message");
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    /** Requests since the last call, and the maximum number open at once. */
    async stats() {
      const { body } = await request(`${url}/stats?reset`);
      return body.json();
    },
    stop() {
      child.kill();
    },
  };
}
