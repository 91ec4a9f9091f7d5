import { parentPort, workerData } from "node:worker_threads";
import { Router } from "zeromq";
import { kernelInfo } from "../kernelInfo.js";
import { endpoint } from "../protocol/connection.js";
import { type Content, type Message, replyTo } from "../protocol/message.js";
import { BEAT_LIMITS, CONTROL_LIMITS } from "../protocol/socketLimits.js";
import { Wire } from "../protocol/wire.js";
import { type ControlData, type ControlEvent, Flag } from "./controlThread.js";
import { stopCode } from "./stopCode.js";

/**
 * How long the kernel may take to notice an interrupt, before the code that keeps it from that is stopped. A harvest may be
 * busy with a page for a while, and should end in good order.
 */
const GRACE = 1000;

/** How long the kernel may take to end in good order. */
const LAST_WORDS = 2000;

const { connection, session, parent, flags } = workerData as ControlData;
const wire = new Wire(connection);
const tell = (event: ControlEvent) => parentPort?.postMessage(event);

const control = new Router(CONTROL_LIMITS);
// Not a Reply: that one fails, and the process with it, on a message that is not a request.
const heartbeat = new Router(BEAT_LIMITS);
// A cell cannot ask for input, so that nobody has anything to send here.
const stdin = new Router(BEAT_LIMITS);

parentPort?.once("message", close);
const watch = setInterval(watchParent, 1000);
await Promise.all([
  control.bind(endpoint(connection, "control")),
  heartbeat.bind(endpoint(connection, "hb")),
  stdin.bind(endpoint(connection, "stdin")),
]);
tell({ kind: "ready" });
void echo();
void ignore();
for await (const frames of control) {
  const request = wire.decode(frames);
  if (request !== undefined) await answer(request);
}

async function echo(): Promise<void> {
  // Whoever has gone, or does not read, gets no answer.
  for await (const frames of heartbeat) await heartbeat.send(frames).catch(() => undefined);
}

async function ignore(): Promise<void> {
  for await (const _frames of stdin);
}

async function answer(request: Message): Promise<void> {
  tell({ kind: "status", state: "busy", parent: request.header });
  const reply = (type: string, content: Content) =>
    control.send(wire.encode(replyTo(request, type, session, { status: "ok", ...content })));
  switch (request.header.msg_type) {
    case "kernel_info_request":
      await reply("kernel_info_reply", kernelInfo());
      break;
    case "interrupt_request":
      interrupt();
      await reply("interrupt_reply", {});
      break;
    case "shutdown_request":
      await reply("shutdown_reply", { restart: request.content.restart === true });
      break;
  }
  tell({ kind: "status", state: "idle", parent: request.header });
  if (request.header.msg_type === "shutdown_request") end();
}

/**
 * Stops the cell. A message does where the cell waits. No signal is sent: between the part of a cell that `breakOnSigint` looks
 * after and the rest of it there is a moment in which a signal would end the process, or get lost.
 */
function interrupt(): void {
  const noticed = Atomics.load(flags, Flag.NOTICED);
  tell({ kind: "interrupt" });
  const stuck = () => Atomics.load(flags, Flag.NOTICED) === noticed && Atomics.load(flags, Flag.RUNNING) === 1;
  setTimeout(() => stuck() && stopCode(stuck), GRACE);
}

/** Ends the kernel, also when its code is caught in a loop. */
function end(): void {
  tell({ kind: "end" });
  setTimeout(() => process.kill(process.pid, "SIGKILL"), LAST_WORDS);
}

/** A kernel whose server is gone has nobody left to work for, and nobody who could end it. */
function watchParent(): void {
  if (process.ppid === parent && alive(parent)) return;
  clearInterval(watch);
  end();
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The process ends now, and must find no open socket in this thread: ZeroMQ would abort it. */
function close(): void {
  clearInterval(watch);
  control.close();
  heartbeat.close();
  stdin.close();
  Atomics.store(flags, Flag.CLOSED, 1);
  Atomics.notify(flags, Flag.CLOSED);
}
