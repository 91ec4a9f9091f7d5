import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { request } from "undici";

const SERVER = fileURLToPath(new URL("server.mjs", import.meta.url));

/** Starts `server.mjs` with these options. */
export async function startServer(options) {
  const child = fork(SERVER, [JSON.stringify(options)]);
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
