import type { Converter } from "./converter/converter.js";
import { kernelInfo } from "./kernelInfo.js";
import type { Content, Message } from "./protocol/message.js";
import { toCharacters, toUnits } from "./textPositions.js";

/** What answers a request of the shell needs. */
export interface ShellTools {
  readonly converter: Converter;
  /** The declarations of all cells so far. */
  declarations(): string;
}

/** The type of a reply and its content; undefined for a request that has none. */
export async function answer(
  { header, content }: Message,
  { converter, declarations }: ShellTools,
): Promise<{ type: string; content: Content } | undefined> {
  const reply = (content: Content) => ({
    type: header.msg_type.replace(/_request$/, "_reply"),
    content: { status: "ok", ...content },
  });
  const code = String(content.code ?? "");
  const position = toUnits(code, Number(content.cursor_pos ?? code.length));
  switch (header.msg_type) {
    case "kernel_info_request":
      return reply(kernelInfo());
    case "complete_request": {
      const { start, end, candidates } = await converter.call("complete", declarations(), code, position);
      const [cursor_start, cursor_end] = [toCharacters(code, start), toCharacters(code, end)];
      return reply({ matches: candidates, cursor_start, cursor_end, metadata: {} });
    }
    case "inspect_request": {
      const text = await converter.call("inspect", declarations(), code, position);
      return reply({ found: text !== undefined, data: text === undefined ? {} : { "text/plain": text }, metadata: {} });
    }
    case "is_complete_request": {
      const { completed, indent = "" } = await converter.call("isComplete", code);
      return reply(completed ? { status: "complete" } : { status: "incomplete", indent });
    }
    case "shutdown_request":
      // Older clients send it here; newer ones, and those that want an answer in any case, to the control socket.
      return reply({ restart: content.restart === true });
    case "history_request":
      return reply({ history: [] });
    case "comm_info_request":
      return reply({ comms: {} });
  }
  return undefined;
}
