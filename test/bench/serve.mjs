import { createServer } from "node:http";

/** Serves on loopback in a child process: sends the port to the parent, and ends with it. */
export function serve(respond) {
  const server = createServer(respond);
  server.listen(0, "127.0.0.1", () => process.send(server.address().port));
  process.on("disconnect", () => process.exit());
}

/** Responds with a body of JSON. */
export function send(response, body, headers = {}) {
  const length = { "content-type": "application/json", "content-length": body.length };
  response.writeHead(200, { ...length, ...headers }).end(body);
}
