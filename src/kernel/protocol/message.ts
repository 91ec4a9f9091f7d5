import { randomUUID } from "node:crypto";

/** The version of Jupyter's messaging protocol that is spoken here. */
export const PROTOCOL = "5.3";

/** Says what a message is, and who sent it. */
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

/** One message of Jupyter's protocol. */
export interface Message {
  /** For whom it is (shell, control), or its topic (iopub). */
  readonly identities: readonly Buffer[];
  readonly header: Header;
  /** The header of the request that it belongs to; empty when there is none. */
  readonly parent: Partial<Header>;
  readonly metadata: Content;
  readonly content: Content;
}

/** The header of a new message. */
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

/** The answer to a request, to whoever sent it. */
export function replyTo(request: Message, type: string, session: string, content: Content): Message {
  const { identities, header } = request;
  return { identities, header: newHeader(type, session), parent: header, metadata: {}, content };
}
