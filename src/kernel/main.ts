import { randomUUID } from "node:crypto";
import { Publisher, Router } from "zeromq";
import { escapedLines } from "../util/quoted.js";
import { completion, inspection } from "./completion.js";
import { type ControlEvent, ControlThread } from "./control/controlThread.js";
import { Converter } from "./converter/converter.js";
import { kernelInfo } from "./kernelInfo.js";
import type { NotebookSession } from "./notebookSession.js";
import { Iopub } from "./output.js";
import { type Connection, endpoint, LIMITS, readConnection } from "./protocol/connection.js";
import { Outbox } from "./protocol/outbox.js";
import { type Content, type Message, replyTo, Wire } from "./protocol/wire.js";

/** Milliseconds to send queued messages before the kernel exits: a subscriber that reads nothing would block it forever. */
const FLUSH_TIMEOUT = 1000;

/** Returns the content of the reply to a request; undefined if it has no reply. */
type Handler = (content: Content, request: Message) => Content | undefined | Promise<Content | undefined>;

/**
 * Starts a kernel: the sockets first, so that it replies immediately, then the threads, then everything that takes longer.
 *
 * @throws Error if a socket cannot be bound
 */
async function startKernel(connection: Connection): Promise<void> {
  const sessionId = randomUUID();
  let notebook: NotebookSession | undefined;
  const wire = new Wire(connection, (text) => notebook?.prompts.redact(text) ?? text);
  const shell = new Router(LIMITS.shell);
  const stdin = new Router(LIMITS.stdin);
  const publisher = new Publisher(LIMITS.iopub);
  await Promise.all([
    shell.bind(endpoint(connection, "shell")),
    stdin.bind(endpoint(connection, "stdin")),
    publisher.bind(endpoint(connection, "iopub")),
  ]);
  const replies = new Outbox(shell);
  const publications = new Outbox(publisher);
  const iopub = new Iopub(publications, wire, sessionId);
  const reply = (request: Message, content: Content, type = "execute_reply") =>
    replies.send(wire.encode(replyTo(request, type, sessionId, content)));
  const sendInputRequest = (request: Message, content: Content, onFailure: () => void) => {
    const message = replyTo(request, "input_request", sessionId, content);
    stdin.send(wire.encode(message)).catch(onFailure);
    return message.header.msg_id;
  };
  const interrupt = () => {
    control.acknowledgeInterrupt();
    // Terminated code has cost us all pending promise reactions.
    replies.restart();
    publications.restart();
    serveAll();
    notebook?.runner.interrupt();
  };
  const shutDown = async () => {
    await Promise.all([replies.flushed(FLUSH_TIMEOUT), publications.flushed(FLUSH_TIMEOUT)]);
    process.exit(0);
  };
  const control = new ControlThread(connection, sessionId, (event: ControlEvent) => {
    if (event.kind === "status") iopub.status(event.state, event.parent);
    else if (event.kind === "interrupt") interrupt();
    else void shutDown();
  });
  process.on("SIGINT", interrupt);
  const converter = new Converter();
  const session = import("./notebookSession.js").then(({ startSession }) => {
    notebook = startSession({ converter, iopub, reply, sendInputRequest, control });
    return notebook;
  });
  /** The cells so far; none while the kernel starts. */
  const cells = () => notebook?.runner ?? { declarations: "", variables: {} };

  const handlers: Readonly<Record<string, Handler>> = {
    kernel_info_request: kernelInfo,
    // The arrow keys of `jupyter console` wait for a reply.
    history_request: () => ({ status: "ok", history: [] }),
    async complete_request(content) {
      const { code, position } = cursor(content);
      const { start, end, candidates } = await completion(converter, cells(), code, position);
      const [cursor_start, cursor_end] = [toCharacters(code, start), toCharacters(code, end)];
      return { matches: candidates, cursor_start, cursor_end, metadata: {} };
    },
    async inspect_request(content) {
      const { code, position } = cursor(content);
      const text = await inspection(converter, cells(), code, position);
      return { found: text !== undefined, data: text === undefined ? {} : { "text/plain": text }, metadata: {} };
    },
    async is_complete_request(content) {
      const { code } = cursor(content);
      const { status, indent } = await converter.call("isComplete", code);
      // A blank line ends the input, as in IPython.
      const lines = code.split("\n");
      const isEnded = lines.length > 2 && lines.slice(-2).every((line) => line.trim() === "");
      return status === "incomplete" && isEnded ? { status: "complete" } : { status, indent };
    },
    // Older clients send it to the shell socket; newer ones to the control socket, which replies even while a cell runs.
    shutdown_request: ({ restart }) => ({ restart: restart === true }),
    comm_info_request: () => ({ comms: {} }),
    // The kernel has no comm targets; the protocol asks it to close what it does not know.
    comm_open({ comm_id }, { header }) {
      iopub.publish("comm_close", { comm_id, data: {} }, header);
      return undefined;
    },
  };

  async function handle(request: Message): Promise<void> {
    const { header, content } = request;
    const { msg_type } = header;
    if (msg_type === "execute_request") return (await session).execute(request);
    iopub.status("busy", header);
    const type = msg_type.replace(/_request$/, "_reply");
    try {
      const handler = Object.hasOwn(handlers, msg_type) ? handlers[msg_type] : undefined;
      const answer = await handler?.(content, request);
      if (answer !== undefined) reply(request, { status: "ok", ...answer }, type);
    } catch (error) {
      const { name, message } = error as Error;
      reply(
        request,
        { status: "error", ename: escapedLines(name), evalue: escapedLines(message), traceback: [] },
        type,
      );
    }
    iopub.status("idle", header);
    if (msg_type === "shutdown_request") await shutDown();
  }

  function serveAll(): void {
    void serve(shell, handle);
    void serve(stdin, (message) => notebook?.prompts.answer(message));
  }

  /** Receives messages. A second, concurrent call for a socket returns immediately. */
  async function serve(socket: Router, take: (message: Message) => unknown): Promise<void> {
    try {
      for (;;) {
        const message = wire.decode(await socket.receive());
        if (message !== undefined) void take(message);
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EBUSY") throw error;
    }
  }

  iopub.status("starting", {});
  serveAll();
}

/** The code of a request and the cursor in it, in UTF-16 units: Jupyter counts characters, and an emoji is one of two units. */
function cursor({ code: given, cursor_pos }: Content): { code: string; position: number } {
  const code = String(given ?? "");
  const characters = Number(cursor_pos ?? code.length);
  return { code, position: [...code].slice(0, Math.max(0, characters)).join("").length };
}

function toCharacters(text: string, units: number): number {
  return [...text.slice(0, Math.max(0, units))].length;
}

const [path, ...more] = process.argv.slice(2);
if (path === undefined || more.length > 0) {
  process.stderr.write("Usage: node main.js <connection file>. Jupyter starts this kernel.\n");
  process.exit(2);
}
try {
  await startKernel(readConnection(path));
} catch (error) {
  process.stderr.write(`The kernel failed to start: ${escapedLines((error as Error).message)}\n`);
  process.exit(1);
}
