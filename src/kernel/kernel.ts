import { randomUUID } from "node:crypto";
import { Publisher, Router } from "zeromq";
import { escapedLines } from "../util/quoted.js";
import { type Cells, completion, inspection } from "./completion.js";
import { type ControlEvent, ControlThread } from "./control/controlThread.js";
import { Converter } from "./converter/converter.js";
import { kernelInfo } from "./kernelInfo.js";
import type { NotebookSession } from "./notebookSession.js";
import { Iopub } from "./outputs/output.js";
import { type Connection, endpoint, PUBLISHER_LIMITS, SHELL_LIMITS, STDIN_LIMITS } from "./protocol/connection.js";
import { Outbox } from "./protocol/outbox.js";
import { type Content, type Message, replyTo, Wire } from "./protocol/wire.js";

/** Milliseconds to send queued messages before the kernel exits: a subscriber that reads nothing would block it forever. */
const FLUSH_TIMEOUT = 1000;

/**
 * Starts a kernel: the sockets first, so that it replies immediately, then the threads, then everything that takes longer.
 *
 * @throws Error if a socket cannot be bound
 */
export async function startKernel(connection: Connection): Promise<void> {
  const sessionId = randomUUID();
  let notebook: NotebookSession | undefined;
  const wire = new Wire(connection, (text) => notebook?.prompts.redact(text) ?? text);
  const shell = new Router(SHELL_LIMITS);
  const stdin = new Router(STDIN_LIMITS);
  const publisher = new Publisher(PUBLISHER_LIMITS);
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

  iopub.status("starting", {});
  serveAll();

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

  async function handle(request: Message): Promise<void> {
    const { msg_type } = request.header;
    if (msg_type === "execute_request") return (await session).execute(request);
    iopub.status("busy", request.header);
    // The kernel has no comm targets; the protocol asks it to close what it does not know.
    if (msg_type === "comm_open") {
      iopub.publish("comm_close", { comm_id: request.content.comm_id, data: {} }, request.header);
    }
    const type = msg_type.replace(/_request$/, "_reply");
    try {
      const isHistory = msg_type === "history_request";
      const content = isHistory
        ? (await session).history.reply(request.content)
        : await shellReply(request, converter, notebook?.runner);
      if (content !== undefined) reply(request, { status: "ok", ...content }, type);
    } catch (error) {
      const { name, message } = error as Error;
      const content = { status: "error", ename: escapedLines(name), evalue: escapedLines(message), traceback: [] };
      reply(request, content, type);
    }
    iopub.status("idle", request.header);
    if (msg_type === "shutdown_request") await shutDown();
  }
}

/**
 * The content of the reply to a shell request; undefined for a request without a reply.
 *
 * @param cells undefined while the kernel starts
 */
async function shellReply(
  { header, content }: Message,
  converter: Converter,
  cells: Cells = { declarations: "", variables: {} },
): Promise<Content | undefined> {
  const code = String(content.code ?? "");
  const position = toUnits(code, Number(content.cursor_pos ?? code.length));
  switch (header.msg_type) {
    case "kernel_info_request":
      return kernelInfo();
    case "complete_request": {
      const { start, end, candidates } = await completion(converter, cells, code, position);
      const [cursor_start, cursor_end] = [toCharacters(code, start), toCharacters(code, end)];
      return { matches: candidates, cursor_start, cursor_end, metadata: {} };
    }
    case "inspect_request": {
      const text = await inspection(converter, cells, code, position);
      return { found: text !== undefined, data: text === undefined ? {} : { "text/plain": text }, metadata: {} };
    }
    case "is_complete_request": {
      // A blank line ends the input, as in IPython.
      const { status, indent } = await converter.call("isComplete", code);
      const lines = code.split("\n");
      const isEnded = lines.length > 2 && lines.slice(-2).every((line) => line.trim() === "");
      return status === "incomplete" && isEnded ? { status: "complete" } : { status, indent };
    }
    case "shutdown_request":
      // Older clients send it to the shell socket; newer ones to the control socket, which replies even while a cell runs.
      return { restart: content.restart === true };
    case "comm_info_request":
      return { comms: {} };
  }
  return undefined;
}

/** Jupyter counts characters, JavaScript counts UTF-16 units: an emoji is one character and two units. */
function toUnits(text: string, characters: number): number {
  return [...text].slice(0, Math.max(0, characters)).join("").length;
}

/** The inverse of {@link toUnits}. */
function toCharacters(text: string, units: number): number {
  return [...text.slice(0, Math.max(0, units))].length;
}
