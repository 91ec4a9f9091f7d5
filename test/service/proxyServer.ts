import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";

/** A proxy that leads every tunnel to one port of this machine, or refuses with a status. */
export async function startProxy(target: number, refuse?: number) {
  const tunnels: string[] = [];
  const credentials: (string | undefined)[] = [];
  const keys: unknown[] = [];
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on("connect", (request, socket) => {
    tunnels.push(String(request.url));
    credentials.push(request.headers["proxy-authorization"]);
    keys.push(request.headers["x-api-key"]);
    socket.on("error", () => {});
    if (refuse !== undefined) return void socket.end(`HTTP/1.1 ${refuse} No\r\n\r\n`);
    const onward = connect(target, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    onward.on("error", () => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    tunnels,
    credentials,
    keys,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
