import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Opens a socket that speaks the ZeroMQ protocol by hand, to send what the library refuses to send. */
export async function rawPeer(target: { port: number } | { path: string }, type: string): Promise<Socket> {
  const socket = connect(target as { path: string });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  let received = 0;
  const count = (data: Buffer) => {
    received += data.length;
  };
  socket.on("data", count);
  socket.write(GREETING);
  while (received < GREETING.length) await once(socket, "data");
  socket.write(ready(type));
  // The other side is ready as well.
  while (received <= GREETING.length) await once(socket, "data");
  socket.off("data", count);
  return socket;
}

/** One frame of a message; `more` if another follows. */
export function rawFrame(body: Buffer, more = false): Buffer {
  if (body.length < 256) return Buffer.concat([Buffer.from([more ? 1 : 0, body.length]), body]);
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(body.length));
  return Buffer.concat([Buffer.from([more ? 3 : 2]), length, body]);
}

const GREETING = Buffer.alloc(64);
GREETING[0] = 0xff;
GREETING[9] = 0x7f;
GREETING[10] = 3;
GREETING.write("NULL", 12, "latin1");

function ready(type: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(type.length);
  const body = Buffer.concat([Buffer.from("\u0005READY\u000bSocket-Type", "latin1"), length, Buffer.from(type)]);
  return Buffer.concat([Buffer.from([4, body.length]), body]);
}
