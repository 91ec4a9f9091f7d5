// The fault server: a process that starts services which misbehave as they are told. It writes the address of its control
// interface to stdout, and ends with its stdin.
//
// POST /services      an order; gives {id, url}
// POST /services/ID   heals the service
// DELETE /services/ID ends it when nothing is open any more; gives its report
// GET /elsewhere      how many connections came to the origin that nobody is to ask
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type FaultOrder, FaultyService } from "./FaultyService.js";

const services = new Map<string, FaultyService>();
let strangers = 0;
let lastId = 0;

const elsewhere = createServer((_request, response) => response.end("{}"));
elsewhere.on("connection", () => {
  strangers++;
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
// A connection that ends just when it is to be used again is no fault of this suite.
control.keepAliveTimeout = 0;
process.stdout.write(`${await listen(control)}\n`);
process.stdin.on("end", () => process.exit(0)).resume();

async function obey(request: IncomingMessage): Promise<unknown> {
  const id = request.url?.split("/")[2] ?? "";
  if (request.url === "/elsewhere") return { connections: strangers };
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

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
