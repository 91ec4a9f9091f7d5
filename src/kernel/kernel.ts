import { randomUUID } from "node:crypto";
import { escapedLines } from "../util/text.js";
import { completion } from "./completion.js";
import { Converter } from "./converter/converter.js";
import { kernelInfo } from "./kernelInfo.js";
import type { NotebookSession } from "./notebookSession.js";
import type { Connection } from "./protocol/connection.js";
import {
  type Content,
  encodeMessage,
  type Header,
  type KernelMessage,
  type Message,
  newHeader,
  type Publish,
  replyTo,
} from "./protocol/message.js";
import { SocketThread } from "./protocol/socketThread.js";

/** Returns the content of the reply to a request; undefined if it has no reply. */
type Handler = (content: Content) => Content | undefined | Promise<Content | undefined>;

/**
 * Starts a kernel: the sockets first, so that it replies immediately, then TypeScript, then everything that takes longer.
 *
 * @param connection undefined for a kernel that was forked, which receives the same requests from the process that did
 */
export function startKernel(connection: Connection | undefined): void {
  const sessionId = randomUUID();
  let notebook: NotebookSession | undefined;
  const send = (channel: KernelMessage["channel"], message: Message) => {
    const encodedMessage = encodeMessage(channel, message, (text) => notebook?.prompts.redact(text) ?? text);
    if (connection === undefined) process.send?.(encodedMessage);
    else sockets.send(encodedMessage);
  };
  const publish: Publish = (type, content, parent) => {
    const identities = [Buffer.from(type)];
    send("iopub", { identities, header: newHeader(type, sessionId), parent, content });
  };
  const status = (execution_state: "starting" | "busy" | "idle", parent: Partial<Header>) =>
    publish("status", { execution_state }, parent);
  const reply = (request: Message, content: Content) =>
    send("shell", replyTo(request, request.header.msg_type.replace(/_request$/, "_reply"), sessionId, content));
  const sendPrompt = (request: Message, content: Content) => {
    const message = replyTo(request, "input_request", sessionId, content);
    send("stdin", message);
    return message.header.msg_id;
  };
  const interrupt = () => {
    sockets.acknowledgeInterrupt();
    notebook?.runner.interrupt();
  };
  const sockets = new SocketThread(connection, sessionId, (event) => {
    if (event.kind === "request") void handle(event.message);
    else if (event.kind === "answer") notebook?.prompts.answer(event.message);
    else if (event.kind === "interrupt") interrupt();
    else process.exit(0);
  });
  status("starting", {});
  process.on("SIGINT", interrupt);
  if (connection === undefined)
    process.on("message", (message: Message) => void handle(message)).on("disconnect", () => process.exit(0));
  const converter = new Converter();
  const session = import("./notebookSession.js").then(({ startSession }) => {
    notebook = startSession({ converter, publish, status, reply, sendPrompt, control: sockets });
    return notebook;
  });
  /** The cells so far; none while the kernel starts. */
  const cells = () => notebook?.runner ?? { declarations: "", variables: {} };

  const handlers: Readonly<Record<string, Handler>> = {
    kernel_info_request: kernelInfo,
    // The arrow keys of `jupyter console` wait for a reply.
    history_request: () => ({ history: [] }),
    async complete_request(content) {
      const { code, position } = cursor(content);
      const { start, end, candidates } = await completion(converter, cells(), code, position);
      const [cursor_start, cursor_end] = [toCharacters(code, start), toCharacters(code, end)];
      return { matches: candidates, cursor_start, cursor_end, metadata: {} };
    },
    async inspect_request(content) {
      const { code, position } = cursor(content);
      const text = await converter.call("inspect", cells().declarations, code, position);
      return { found: text !== undefined, data: text === undefined ? {} : { "text/plain": text }, metadata: {} };
    },
    async is_complete_request(content) {
      const { code } = cursor(content);
      // A blank line ends the input, as in IPython.
      return converter.call("isComplete", code);
    },
    interrupt_request() {
      interrupt();
      return {};
    },
    // Older clients send it to the shell socket; newer ones to the control socket, which replies even while a cell runs.
    shutdown_request: ({ restart }) => ({ restart: restart === true }),
    comm_info_request: () => ({ comms: {} }),
  };

  async function handle(request: Message): Promise<void> {
    const { header, content } = request;
    if (header.msg_type === "execute_request") return (await session).execute(request);
    status("busy", header);
    try {
      const handler = Object.hasOwn(handlers, header.msg_type) ? handlers[header.msg_type] : undefined;
      const answer = await handler?.(content);
      if (answer !== undefined) reply(request, { status: "ok", ...answer });
    } catch (error) {
      const { name, message } = error as Error;
      reply(request, { status: "error", ename: escapedLines(name), evalue: escapedLines(message), traceback: [] });
    }
    status("idle", header);
    if (header.msg_type === "shutdown_request") process.exit(0);
  }
}

/** The code of a request and the cursor in it, in UTF-16 units: Jupyter counts characters, and an emoji is one of two units. */
function cursor({ code: source, cursor_pos }: Content): { code: string; position: number } {
  const code = String(source ?? "");
  const characters = Number(cursor_pos ?? code.length);
  return { code, position: [...code].slice(0, Math.max(0, characters)).join("").length };
}

function toCharacters(text: string, units: number): number {
  return [...text.slice(0, Math.max(0, units))].length;
}
