import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { isObject } from "../../util/objects.js";

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
export function encodeMessage(
  channel: KernelMessage["channel"],
  { identities, header, parent, content }: Message,
  redact?: (text: string) => string,
): KernelMessage {
  return { channel, identities, parts: [header, parent, {}, content].map((part) => jsonText(part, redact)) };
}

/** The frames of a message on a socket. */
export type Frames = Array<Buffer | string>;

const DELIMITER = Buffer.from("<IDS|MSG>");

/** Encodes and signs, decodes and verifies messages with the key of a connection. */
export class Wire {
  readonly #key: string;
  readonly #hash: string;

  constructor({ key, signature_scheme }: { readonly key: string; readonly signature_scheme: string }) {
    this.#key = key;
    this.#hash = signature_scheme.replace(/^hmac-/, "");
  }

  /** @param parts the JSON of header, parent, metadata and content */
  encode(identities: readonly Uint8Array[], parts: readonly string[]): Frames {
    return [...identities.map((identity) => Buffer.from(identity)), DELIMITER, this.#sign(parts), ...parts];
  }

  /** Decodes a message; undefined if it is malformed or its signature is wrong. */
  decode(frames: readonly Buffer[]): Message | undefined {
    const delimiter = frames.findIndex((frame) => frame.equals(DELIMITER));
    const [signature, ...parts] = frames.slice(delimiter + 1, delimiter + 6);
    if (delimiter < 0 || signature === undefined || parts.length < 4) return undefined;
    const expected = Buffer.from(this.#sign(parts));
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return undefined;
    try {
      const objects = parts.map((part) => JSON.parse(part.toString()) as unknown);
      const [header, parent, , content] = objects as [Header, Partial<Header>, Content, Content];
      if (!objects.every(isObject) || typeof header.msg_type !== "string") return undefined;
      return { identities: frames.slice(0, delimiter), header, parent, content };
    } catch {
      return undefined;
    }
  }

  #sign(parts: ReadonlyArray<Buffer | string>): string {
    if (this.#key === "") return "";
    const hmac = createHmac(this.#hash, this.#key);
    for (const part of parts) hmac.update(part);
    return hmac.digest("hex");
  }
}
