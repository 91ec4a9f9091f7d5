import { Session } from "node:inspector";
import { parentPort, workerData } from "node:worker_threads";
import { isRunning } from "../../fs/processLock.js";
import { kernelInfo } from "../kernelInfo.js";
import { type Channel, type Connection, endpoint, LIMITS } from "./connection.js";
import { type Content, encodeMessage, type KernelMessage, type Message, replyTo, Wire } from "./message.js";
import { Flag, type SocketData, type SocketEvent } from "./socketThread.js";

/** Milliseconds in which the main thread must handle an interrupt before its code is terminated: a search may be busy with a page. */
const INTERRUPT_TIMEOUT = 1000;

/** Milliseconds in which the kernel must exit before it is killed. */
const SHUTDOWN_TIMEOUT = 2000;

const STATUS = Buffer.from("status");

const { connection, sessionId, parent, flags } = workerData as SocketData;
const emit = (event: SocketEvent) => parentPort?.postMessage(event);
const watch = setInterval(watchParent, 1000);
if (connection === undefined) parentPort?.once("message", closed);
else await serve(connection);

async function serve(connection: Connection): Promise<void> {
  // A forked kernel does not load ZeroMQ.
  const { Publisher, Router } = await import("zeromq");
  const wire = new Wire(connection);
  // The heartbeat is not a Reply socket: that would throw on a message that is not a request, and end the process.
  const router = () => new Router(LIMITS.router);
  const [shell, stdin, control, hb] = [router(), router(), router(), router()];
  const sockets = { iopub: new Publisher(LIMITS.publisher), shell, stdin, control, hb };
  const entries = Object.entries(sockets) as Array<[Channel, typeof sockets.iopub | typeof shell]>;
  for (const [channel, socket] of entries) await socket.bind(endpoint(connection, channel));
  /** The last message sent by each socket: it rejects a second `send` while the first is pending. */
  const sent = new Map<Channel, Promise<void>>();
  const send = ({ channel, identities, parts }: KernelMessage) => {
    const frames = wire.encode(identities, parts);
    // A client that is gone gets nothing.
    const sending = (sent.get(channel) ?? Promise.resolve())
      .then(() => sockets[channel].send(frames))
      .catch(() => undefined);
    sent.set(channel, sending);
  };
  parentPort?.on("message", async (message: KernelMessage | "close") => {
    if (message !== "close") return send(message);
    await Promise.all(sent.values());
    for (const socket of Object.values(sockets)) socket.close();
    closed();
  });
  const receive = async (socket: typeof shell, take: (message: Message) => void) => {
    for await (const frames of socket) {
      const message = wire.decode(frames);
      if (message !== undefined) take(message);
    }
  };
  void receive(shell, (message) => emit({ kind: "request", message }));
  void receive(stdin, (message) => emit({ kind: "answer", message }));
  void receive(control, (request) => {
    const publish = (execution_state: string) =>
      send(
        encodeMessage("iopub", { ...replyTo(request, "status", sessionId, { execution_state }), identities: [STATUS] }),
      );
    publish("busy");
    const content = answer(request);
    const type = request.header.msg_type.replace(/_request$/, "_reply");
    if (content !== undefined)
      send(encodeMessage("control", replyTo(request, type, sessionId, { status: "ok", ...content })));
    publish("idle");
  });
  // A client that is gone or does not read gets no reply.
  for await (const frames of hb) await hb.send(frames).catch(() => undefined);
}

/** Handles a request to the control socket; returns the content of its reply. */
function answer({ header, content }: Message): Content | undefined {
  switch (header.msg_type) {
    case "kernel_info_request":
      return kernelInfo();
    case "interrupt_request":
      interrupt();
      return {};
    case "shutdown_request":
      shutDown();
      return { restart: content.restart === true };
    default:
      return undefined;
  }
}

/** Interrupts the cell: by a message, which is enough while it awaits, otherwise by terminating its code. */
function interrupt(): void {
  const handled = Atomics.load(flags, Flag.HANDLED_INTERRUPTS);
  emit({ kind: "interrupt" });
  setTimeout(() => {
    const isHandled = Atomics.load(flags, Flag.HANDLED_INTERRUPTS) !== handled;
    if (!isHandled && Atomics.load(flags, Flag.RUNNING) === 1) terminateCode();
  }, INTERRUPT_TIMEOUT);
}

/**
 * Terminates the code that the main thread is running. Pending awaits never continue, the code cannot catch anything, and the main
 * thread proceeds with its next event. Node tolerates that because of the option that `kernelSpec.ts` names.
 */
function terminateCode(): void {
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.terminateExecution", () => session.disconnect());
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

/** ZeroMQ would abort a process that exits before its sockets are closed. */
function closed(): void {
  clearInterval(watch);
  Atomics.store(flags, Flag.CLOSED, 1);
  Atomics.notify(flags, Flag.CLOSED);
}
