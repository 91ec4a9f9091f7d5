// The fault server: a process that starts faulty services on demand. It writes the address of its control interface to stdout
// and exits when stdin ends.
//
// POST /services      starts a service from an order; returns {id, url}
// POST /services/ID   removes the fault of the service
// DELETE /services/ID stops the service when no connection is open; returns its report
// GET /elsewhere      returns the number of connections to the origin that no client may contact
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type FaultOrder, FaultyService } from "./FaultyService.js";

const services = new Map<string, FaultyService>();
let strayConnections = 0;
let lastId = 0;

const elsewhere = createServer((_request, response) => response.end("{}"));
elsewhere.on("connection", () => {
  strayConnections++;
});
const otherOrigin = await listen(elsewhere);

const control = createServer(async (request, response) => {
  response.setHeader("content-type", "application/json");
  try {
    response.end(JSON.stringify(await obey(request)));
  } catch (error) {
    response.writeHead(500).end(JSON.stringify(String(error)));
  }
});
// Otherwise a client may reuse a connection that is just closing.
control.keepAliveTimeout = 0;
process.stdout.write(`${await listen(control)}\n`);
process.stdin.on("end", () => process.exit(0)).resume();

async function obey(request: IncomingMessage): Promise<unknown> {
  const id = request.url?.split("/")[2] ?? "";
  if (request.url === "/elsewhere") return { connections: strayConnections };
  if (request.method === "POST" && id === "") {
    const service = new FaultyService(JSON.parse(await text(request)) as FaultOrder, otherOrigin);
    const made = String(++lastId);
    services.set(made, service);
    return { id: made, url: await service.listen() };
  }
  const service = services.get(id);
  if (service === undefined) throw new Error(`no service ${id}`);
  if (request.method === "POST") return service.heal().then(() => ({}));
  services.delete(id);
  return service.end();
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
