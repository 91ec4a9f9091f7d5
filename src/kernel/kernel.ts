import { randomUUID } from "node:crypto";
import { Publisher, Router } from "zeromq";
import { escapedLines } from "../util/quoted.js";
import type { Notebook } from "./cells/notebook.js";
import { type ControlEvent, ControlThread } from "./control/controlThread.js";
import { Converter } from "./converter/converter.js";
import { Iopub } from "./outputs/iopub.js";
import { type Connection, endpoint } from "./protocol/connection.js";
import { type Content, type Message, replyTo } from "./protocol/message.js";
import { Outbox } from "./protocol/outbox.js";
import { PUBLISHER_LIMITS, SHELL_LIMITS } from "./protocol/socketLimits.js";
import { Wire } from "./protocol/wire.js";
import { answer } from "./shell.js";

/** How long what is still to be sent may take when the kernel ends: a subscriber that does not read would keep it for ever. */
const LAST_WORDS = 1000;

/** Options of {@link startKernel}. */
export interface KernelOptions {
  /** Declare `archive`, `pl`, `display`, `show` and `chart` before the first cell. */
  readonly preload: boolean;
}

/**
 * Starts a kernel: first the sockets, so that it answers at once, then the threads, and the rest as the last.
 *
 * @throws Error when a socket cannot be bound
 */
export async function startKernel(connection: Connection, { preload }: KernelOptions): Promise<void> {
  const session = randomUUID();
  const wire = new Wire(connection);
  const shell = new Router(SHELL_LIMITS);
  const publisher = new Publisher(PUBLISHER_LIMITS);
  await Promise.all([shell.bind(endpoint(connection, "shell")), publisher.bind(endpoint(connection, "iopub"))]);
  const replies = new Outbox(shell);
  const publications = new Outbox(publisher);
  const iopub = new Iopub(publications, wire, session);
  const reply = (request: Message, content: Content, type = "execute_reply") =>
    replies.send(wire.encode(replyTo(request, type, session, content)));

  let notebook: Notebook | undefined;
  const interrupt = () => {
    guard.notice();
    // Code that was stopped in the middle may have left us without a listener, and without promise reactions.
    if (!process.listeners("SIGINT").includes(interrupt)) process.on("SIGINT", interrupt);
    replies.revive();
    publications.revive();
    void serve();
    notebook?.runner.interrupt();
  };
  const end = async () => {
    await Promise.all([replies.flushed(LAST_WORDS), publications.flushed(LAST_WORDS)]);
    process.exit(0);
  };
  const guard = new ControlThread(connection, session, (event: ControlEvent) => {
    if (event.kind === "status") iopub.status(event.state, event.parent);
    else if (event.kind === "interrupt") interrupt();
    else if (event.kind === "end") void end();
  });
  process.on("SIGINT", interrupt);
  const converter = new Converter();
  const opened = import("./cells/notebook.js").then(({ openNotebook }) => {
    const running = (running: boolean) => {
      guard.running = running;
    };
    notebook = openNotebook({ converter, preloading: preload, iopub, reply, running });
    return notebook;
  });

  iopub.status("starting", {});
  await serve();

  /** Takes what comes, unless another call of this does already. */
  async function serve(): Promise<void> {
    try {
      for (;;) void take(await shell.receive());
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EBUSY") throw error;
    }
  }

  async function take(frames: Buffer[]): Promise<void> {
    const request = wire.decode(frames);
    if (request === undefined) return;
    const { msg_type } = request.header;
    if (msg_type === "execute_request") {
      (await opened).queue.add(request);
      return;
    }
    iopub.status("busy", request.header);
    try {
      const found = await answer(request, { converter, declarations: () => notebook?.runner.declarations ?? "" });
      if (found !== undefined) reply(request, found.content, found.type);
    } catch (error) {
      const { name, message } = error as Error;
      const content = { status: "error", ename: escapedLines(name), evalue: escapedLines(message), traceback: [] };
      reply(request, content, msg_type.replace(/_request$/, "_reply"));
    }
    iopub.status("idle", request.header);
    if (msg_type === "shutdown_request") await end();
  }
}
