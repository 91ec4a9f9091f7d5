import { randomUUID } from "node:crypto";

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
  readonly identities: readonly Buffer[];
  readonly header: Header;
  /** The header of the request that caused it; empty if there is none. */
  readonly parent: Partial<Header>;
  readonly metadata: Content;
  readonly content: Content;
}

/** Creates the header of a new message. */
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
export function replyTo(request: Message, type: string, session: string, content: Content): Message {
  const { identities, header } = request;
  return { identities, header: newHeader(type, session), parent: header, metadata: {}, content };
}
