import type { CellRunner } from "./cells/cellRunner.js";
import { completion, inspection } from "./completion.js";
import type { Converter } from "./converter/converter.js";
import { kernelInfo } from "./kernelInfo.js";
import type { Content, Message } from "./protocol/wire.js";

/**
 * The content of the reply to a shell request; undefined for a request without a reply.
 *
 * @param runner has the declarations and variables of all cells so far; undefined while the kernel starts
 */
export async function shellReply(
  { header, content }: Message,
  converter: Converter,
  { declarations, variables }: Pick<CellRunner, "declarations" | "variables"> = { declarations: "", variables: {} },
): Promise<Content | undefined> {
  const code = String(content.code ?? "");
  const position = toUnits(code, Number(content.cursor_pos ?? code.length));
  switch (header.msg_type) {
    case "kernel_info_request":
      return kernelInfo();
    case "complete_request": {
      const { start, end, candidates } = await completion(converter, declarations, variables, code, position);
      const [cursor_start, cursor_end] = [toCharacters(code, start), toCharacters(code, end)];
      return { matches: candidates, cursor_start, cursor_end, metadata: {} };
    }
    case "inspect_request": {
      const text = await inspection(converter, declarations, variables, code, position);
      return { found: text !== undefined, data: text === undefined ? {} : { "text/plain": text }, metadata: {} };
    }
    case "is_complete_request": {
      const { completed, indent = "" } = await converter.call("isComplete", code);
      return completed ? { status: "complete" } : { status: "incomplete", indent };
    }
    case "shutdown_request":
      // Older clients send it to the shell socket; newer ones to the control socket, which replies even while a cell runs.
      return { restart: content.restart === true };
    case "history_request":
      return { history: [] };
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
