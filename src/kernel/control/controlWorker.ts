import { type Debugger, Session } from "node:inspector";
import { parentPort, workerData } from "node:worker_threads";
import { Router } from "zeromq";
import { isRunning } from "../../fs/isRunning.js";
import { kernelInfo } from "../kernelInfo.js";
import { endpoint, LIMITS } from "../protocol/connection.js";
import { Outbox } from "../protocol/outbox.js";
import { type Content, type Message, replyTo, Wire } from "../protocol/wire.js";
import { type ControlData, type ControlEvent, Flag } from "./controlThread.js";

/** Milliseconds in which the main thread must handle an interrupt before its code is terminated: a search may be busy with a page. */
const INTERRUPT_TIMEOUT = 1000;

/** Milliseconds in which the kernel must exit before it is killed. */
const SHUTDOWN_TIMEOUT = 2000;

/**
 * Node keeps its own stack of callbacks and ends the process if terminated code leaves an entry on it. Handling an uncaught error
 * clears that stack; the capture callback hides the error from all listeners.
 */
const CLEAR_CALLBACK_STACK = `{
  const { process } = globalThis;
  const captured = process.hasUncaughtExceptionCaptureCallback();
  if (!captured) process.setUncaughtExceptionCaptureCallback(() => {});
  process._fatalException();
  if (!captured) process.setUncaughtExceptionCaptureCallback(null);
}`;

/** If an immediate is terminated, the immediates queued behind it would be lost and Node would spin waiting for them. */
const KEEP_IMMEDIATES = "outstandingQueue.head = immediate._destroyed ? immediate._idleNext : immediate";

const { connection, sessionId, parent, flags } = workerData as ControlData;
const wire = new Wire(connection);
const emit = (event: ControlEvent) => parentPort?.postMessage(event);

const control = new Router(LIMITS.control);
const controlReplies = new Outbox(control);
// Not a Reply socket: it would throw on a message that is not a request, and end the process.
const heartbeat = new Router(LIMITS.hb);

parentPort?.once("message", close);
const watch = setInterval(watchParent, 1000);
await Promise.all([control.bind(endpoint(connection, "control")), heartbeat.bind(endpoint(connection, "hb"))]);
void (async () => {
  // A client that is gone or does not read gets no reply.
  for await (const frames of heartbeat) await heartbeat.send(frames).catch(() => undefined);
})();
for await (const frames of control) {
  const request = wire.decode(frames);
  if (request !== undefined) handle(request);
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

/** Interrupts the cell: by a message, which is enough while it awaits, otherwise by terminating its code. */
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

/** Shuts down when the server is gone. */
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

/**
 * Terminates the code that the main thread is running; called from another thread. Pending awaits never continue, the code cannot
 * catch anything, and the main thread proceeds with its next event.
 *
 * @param isStuck whether that is still necessary once the code is paused: a native call may delay the pause
 */
function stopCode(isStuck: () => boolean): void {
  const debug = new Session();
  debug.connectToMainThread();
  debug.once("Debugger.paused", ({ params }) => {
    if (isStuck()) terminate(debug, params.callFrames);
    debug.post("Debugger.resume");
    debug.post("Debugger.disable", () => debug.disconnect());
  });
  debug.post("Debugger.enable");
  debug.post("Debugger.pause");
}

/** Terminates the paused code, after the cleanup that Node itself does when an exception unwinds the stack. */
function terminate(debug: Session, frames: readonly Debugger.CallFrame[]): void {
  const evaluate = (frame: Debugger.CallFrame | undefined, expression: string) => {
    if (frame === undefined) return;
    debug.post("Debugger.evaluateOnCallFrame", { callFrameId: frame.callFrameId, expression, silent: true });
  };
  // Functions of Node itself have no URL here.
  const isImmediate = ({ functionName, url }: Debugger.CallFrame) => functionName === "processImmediate" && url === "";
  evaluate(frames.findLast(isImmediate), KEEP_IMMEDIATES);
  evaluate(frames[0], CLEAR_CALLBACK_STACK);
  debug.post("Runtime.terminateExecution");
}
