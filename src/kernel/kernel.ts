import { randomUUID } from "node:crypto";
import { Publisher, Router } from "zeromq";
import { escapedLines } from "../util/quoted.js";
import type { NotebookSession } from "./cells/notebookSession.js";
import { type ControlEvent, ControlThread } from "./control/controlThread.js";
import { Converter } from "./converter/converter.js";
import { Iopub } from "./outputs/output.js";
import { type Connection, endpoint, PUBLISHER_LIMITS, SHELL_LIMITS } from "./protocol/connection.js";
import { Outbox } from "./protocol/outbox.js";
import { type Content, type Message, replyTo, Wire } from "./protocol/wire.js";

import { shellReply } from "./shellReply.js";

/** Milliseconds to send queued messages before the kernel exits: a subscriber that does not read would block it for ever. */
const FLUSH_TIMEOUT = 1000;

/**
 * Starts a kernel: the sockets first, so that it replies immediately, then the threads, then everything that takes longer.
 *
 * @throws Error if a socket cannot be bound
 */
export async function startKernel(connection: Connection): Promise<void> {
  const sessionId = randomUUID();
  let notebook: NotebookSession | undefined;
  const wire = new Wire(connection, (text) => notebook?.secrets.redact(text) ?? text);
  const shell = new Router(SHELL_LIMITS);
  const publisher = new Publisher(PUBLISHER_LIMITS);
  await Promise.all([shell.bind(endpoint(connection, "shell")), publisher.bind(endpoint(connection, "iopub"))]);
  const replies = new Outbox(shell);
  const publications = new Outbox(publisher);
  const iopub = new Iopub(publications, wire, sessionId);
  const reply = (request: Message, content: Content, type = "execute_reply") =>
    replies.send(wire.encode(replyTo(request, type, sessionId, content)));

  const sendInputRequest = (request: Message, content: Content) => {
    const message = replyTo(request, "input_request", sessionId, content);
    control.prompt(wire.encode(message));
    return message.header.msg_id;
  };
  const interrupt = () => {
    control.acknowledgeInterrupt();
    // Terminated code may have cost us our listener and all pending promise reactions.
    if (!process.listeners("SIGINT").includes(interrupt)) process.on("SIGINT", interrupt);
    replies.restart();
    publications.restart();
    void serve();
    notebook?.runner.interrupt();
  };
  const shutDown = async () => {
    await Promise.all([replies.flushed(FLUSH_TIMEOUT), publications.flushed(FLUSH_TIMEOUT)]);
    process.exit(0);
  };
  const control = new ControlThread(connection, sessionId, (event: ControlEvent) => {
    if (event.kind === "status") iopub.status(event.state, event.parent);
    else if (event.kind === "interrupt") interrupt();
    else if (event.kind === "end") void shutDown();
    else if (event.kind === "input") notebook?.prompts.answer(event.reply);
    else if (event.kind === "unreachable") notebook?.prompts.fail();
  });
  process.on("SIGINT", interrupt);
  const converter = new Converter();
  const session = import("./cells/notebookSession.js").then(({ startSession }) => {
    const setRunning = (running: boolean) => {
      control.running = running;
    };
    notebook = startSession({ converter, iopub, reply, setRunning, sendInputRequest });
    return notebook;
  });

  iopub.status("starting", {});
  await serve();

  /** Receives requests. A second, concurrent call returns immediately. */
  async function serve(): Promise<void> {
    try {
      for (;;) void handle(await shell.receive());
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EBUSY") throw error;
    }
  }

  async function handle(frames: Buffer[]): Promise<void> {
    const request = wire.decode(frames);
    if (request === undefined) return;
    const { msg_type } = request.header;
    if (msg_type === "execute_request") {
      (await session).queue.add(request);
      return;
    }
    iopub.status("busy", request.header);
    // The kernel has no comm targets; the protocol asks it to close what it does not know.
    if (msg_type === "comm_open") {
      iopub.publish("comm_close", { comm_id: request.content.comm_id, data: {} }, request.header);
    }
    try {
      const found = await shellReply(request, {
        converter,
        declarations: () => notebook?.runner.declarations ?? "",
        variables: () => notebook?.runner.variables ?? {},
      });
      if (found !== undefined) reply(request, found.content, found.type);
    } catch (error) {
      const { name, message } = error as Error;
      const content = { status: "error", ename: escapedLines(name), evalue: escapedLines(message), traceback: [] };
      reply(request, content, msg_type.replace(/_request$/, "_reply"));
    }
    iopub.status("idle", request.header);
    if (msg_type === "shutdown_request") await shutDown();
  }
}
