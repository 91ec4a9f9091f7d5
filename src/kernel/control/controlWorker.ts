import { parentPort, workerData } from "node:worker_threads";
import { Router } from "zeromq";
import { isRunning } from "../../fs/processLock.js";
import { kernelInfo } from "../kernelInfo.js";
import { CONTROL_LIMITS, endpoint, HEARTBEAT_LIMITS } from "../protocol/connection.js";
import { Outbox } from "../protocol/outbox.js";
import { type Content, type Message, replyTo, Wire } from "../protocol/wire.js";
import { type ControlData, type ControlEvent, Flag } from "./controlThread.js";
import { stopCode } from "./stopCode.js";

/**
 * Milliseconds until the main thread must have handled an interrupt; after that its code is terminated. A search may be busy
 * with a page for a while, and should end in good order.
 */
const INTERRUPT_TIMEOUT = 1000;

/** Milliseconds until the kernel must have exited; after that it is killed. */
const SHUTDOWN_TIMEOUT = 2000;

const { connection, sessionId, parent, flags } = workerData as ControlData;
const wire = new Wire(connection);
const emit = (event: ControlEvent) => parentPort?.postMessage(event);

const control = new Router(CONTROL_LIMITS);
const controlReplies = new Outbox(control);
// Not a Reply socket: it would throw on a message that is not a request, and end the process.
const heartbeat = new Router(HEARTBEAT_LIMITS);

parentPort?.once("message", close);
const watch = setInterval(watchParent, 1000);
await Promise.all([control.bind(endpoint(connection, "control")), heartbeat.bind(endpoint(connection, "hb"))]);
void echo();
for await (const frames of control) {
  const request = wire.decode(frames);
  if (request !== undefined) handle(request);
}

async function echo(): Promise<void> {
  // A client that is gone or does not read gets no reply.
  for await (const frames of heartbeat) await heartbeat.send(frames).catch(() => undefined);
}

function handle(request: Message): void {
  emit({ kind: "status", state: "busy", parent: request.header });
  const reply = (type: string, content: Content) =>
    controlReplies.send(wire.encode(replyTo(request, type, sessionId, { status: "ok", ...content })));
  switch (request.header.msg_type) {
    case "kernel_info_request":
      reply("kernel_info_reply", kernelInfo());
      break;
    case "interrupt_request":
      interrupt();
      reply("interrupt_reply", {});
      break;
    case "shutdown_request":
      reply("shutdown_reply", { restart: request.content.restart === true });
      break;
  }
  emit({ kind: "status", state: "idle", parent: request.header });
  if (request.header.msg_type === "shutdown_request") shutDown();
}

/**
 * Interrupts the cell. A message is enough while the cell awaits; otherwise its code is terminated.
 */
function interrupt(): void {
  const handled = Atomics.load(flags, Flag.HANDLED_INTERRUPTS);
  emit({ kind: "interrupt" });
  const stuck = () =>
    Atomics.load(flags, Flag.HANDLED_INTERRUPTS) === handled && Atomics.load(flags, Flag.RUNNING) === 1;
  setTimeout(() => stuck() && stopCode(stuck), INTERRUPT_TIMEOUT);
}

/** Shuts the kernel down, even if a cell is in an endless loop. */
function shutDown(): void {
  emit({ kind: "end" });
  setTimeout(() => process.kill(process.pid, "SIGKILL"), SHUTDOWN_TIMEOUT);
}

/** Shuts down when the server is gone: nobody else would. */
function watchParent(): void {
  if (process.ppid === parent && isRunning(parent)) return;
  clearInterval(watch);
  shutDown();
}

/** Closes all sockets before the process exits: ZeroMQ would abort it otherwise. */
function close(): void {
  clearInterval(watch);
  control.close();
  heartbeat.close();
  Atomics.store(flags, Flag.CLOSED, 1);
  Atomics.notify(flags, Flag.CLOSED);
}
