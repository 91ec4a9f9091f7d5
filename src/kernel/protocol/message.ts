import { randomUUID } from "node:crypto";
import { isObject } from "../../util/isObject.js";

/** The implemented version of Jupyter's messaging protocol. */
export const PROTOCOL = "5.3";

/** The header of a message: its type and its sender. */
export interface Header {
  readonly msg_id: string;
  readonly msg_type: string;
  readonly session: string;
  readonly username: string;
  readonly date: string;
  readonly version: string;
}

/** The body of a message, or its metadata. */
export type Content = Readonly<Record<string, unknown>>;

/** One Jupyter message. */
export interface Message {
  /** The recipient (shell, control) or the topic (iopub). */
  readonly identities: readonly Uint8Array[];
  readonly header: Header;
  /** The header of the request that caused it; empty if there is none. */
  readonly parent: Partial<Header>;
  readonly content: Content;
}

export function newHeader(type: string, session: string): Header {
  return {
    msg_id: randomUUID(),
    msg_type: type,
    session,
    username: "archive-frames",
    date: new Date().toISOString(),
    version: PROTOCOL,
  };
}

/** Creates the reply to a request, addressed to its sender. */
export function replyTo({ identities, header }: Message, type: string, session: string, content: Content): Message {
  return { identities, header: newHeader(type, session), parent: header, content };
}

/** The JSON of a part of a message, without secrets in texts, numbers and names. Bigints become strings. */
function jsonText(part: unknown, redact: (text: string) => string = (text) => text): string {
  return JSON.stringify(part, (_key, value: unknown) => {
    if (isObject(value)) {
      // As it is where that is right: JSON.stringify finds circles by identity.
      if (Object.keys(value).every((name) => redact(name) === name)) return value;
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [redact(name), each]));
    }
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint") return value;
    // Python cannot write half of a surrogate pair, so Jupyter could not save the notebook.
    const text = redact(String(value)).toWellFormed();
    return typeof value === "number" && text === String(value) ? value : text;
  });
}

/** Publishes a message to all front ends. */
export type Publish = (type: string, content: Content, parent: Partial<Header>) => void;

/** A message that the kernel sends: the JSON of its header, parent, metadata and content. */
export interface KernelMessage {
  readonly channel: "shell" | "iopub" | "stdin" | "control";
  readonly identities: readonly Uint8Array[];
  readonly parts: readonly string[];
}

/**
 * @param redact removes secrets
 * @throws TypeError for content that JSON cannot represent
 */
export function encoded(
  channel: KernelMessage["channel"],
  { identities, header, parent, content }: Message,
  redact?: (text: string) => string,
): KernelMessage {
  return { channel, identities, parts: [header, parent, {}, content].map((part) => jsonText(part, redact)) };
}
