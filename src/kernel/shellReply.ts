import type { Variables } from "./cells/evaluator.js";
import { completion, inspection } from "./completion.js";
import type { Converter } from "./converter/converter.js";

import { kernelInfo } from "./kernelInfo.js";
import type { Content, Message } from "./protocol/wire.js";

/** What {@link shellReply} works with. */
interface ShellContext {
  readonly converter: Converter;
  /** The declarations of all cells so far. */
  declarations(): string;
  /** The variables of all cells so far. */
  variables(): Variables;
}

/** Number of candidates whose kind is named. */
const MAX_KINDS = 500;

/** Type and content of the reply to a shell request; undefined for a request without a reply. */
export async function shellReply(
  { header, content }: Message,
  { converter, declarations, variables }: ShellContext,
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
      const { start, end, candidates } = await completion(converter, declarations(), variables(), code, position);
      const [cursor_start, cursor_end] = [toCharacters(code, start), toCharacters(code, end)];
      const matches = candidates.map(({ text }) => text);
      // What each candidate is; front ends show a few dozen.
      const kinds = candidates.slice(0, MAX_KINDS).map(({ text, kind }) => ({
        start: cursor_start,
        end: cursor_end,
        text,
        type: kind,
      }));
      return reply({ matches, cursor_start, cursor_end, metadata: { _jupyter_types_experimental: kinds } });
    }
    case "inspect_request": {
      const text = await inspection(converter, declarations(), variables(), code, position);
      return reply({ found: text !== undefined, data: text === undefined ? {} : { "text/plain": text }, metadata: {} });
    }
    case "is_complete_request": {
      const { completed, indent = "" } = await converter.call("isComplete", code);
      return reply(completed ? { status: "complete" } : { status: "incomplete", indent });
    }
    case "shutdown_request":
      // Older clients send it to the shell socket; newer ones to the control socket, which replies even while a cell runs.
      return reply({ restart: content.restart === true });
    case "history_request":
      return reply({ history: [] });
    case "comm_info_request":
      return reply({ comms: {} });
  }
  return undefined;
}

/** Jupyter counts characters, JavaScript counts UTF-16 units: an emoji is one character and two units. */
export function toUnits(text: string, characters: number): number {
  return [...text].slice(0, Math.max(0, characters)).join("").length;
}

/** The inverse of {@link toUnits}. */
export function toCharacters(text: string, units: number): number {
  return [...text.slice(0, Math.max(0, units))].length;
}
