import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { isObject } from "../../util/isObject.js";

/** The frames of a message on a socket. */
export type Frames = Array<Buffer | string>;

const DELIMITER = Buffer.from("<IDS|MSG>");

/** Number of signatures remembered to reject replayed messages, as in Jupyter itself. */
const MAX_SIGNATURES = 2 ** 16;

/** Identities before the delimiter: one per router in between. */
const MAX_IDENTITIES = 16;

/** Encodes and signs, decodes and verifies messages with the key of a connection. */
export class Wire {
  readonly #key: string;
  readonly #hash: string;
  /** Signatures of received messages, oldest first. */
  readonly #received = new Set<string>();

  /** @param redact removes secrets from texts, numbers and names in encoded messages. Default: leaves them unchanged */
  constructor(
    { key, signature_scheme }: { readonly key: string; readonly signature_scheme: string },
    private readonly redact: (text: string) => string = (text) => text,
  ) {
    this.#key = key;
    this.#hash = signature_scheme.replace(/^hmac-/, "");
  }

  /** Bigints become strings. @throws TypeError for content that JSON cannot represent */
  encode({ identities, header, parent, metadata, content }: Message): Frames {
    const replacer = (_key: string, value: unknown) => {
      if (isObject(value)) {
        // As it is where that is right: JSON.stringify finds circles by identity.
        if (Object.keys(value).every((name) => this.redact(name) === name)) return value;
        return Object.fromEntries(Object.entries(value).map(([name, each]) => [this.redact(name), each]));
      }
      if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint") return value;
      // Python cannot write half of a surrogate pair, so Jupyter could not save the notebook.
      const text = this.redact(String(value)).toWellFormed();
      return typeof value === "number" && text === String(value) ? value : text;
    };
    const parts = [header, parent, metadata, content].map((part) => JSON.stringify(part, replacer));
    return [...identities, DELIMITER, this.#sign(parts), ...parts];
  }

  /** Decodes a message; undefined if it is malformed, its signature is wrong, or it was received before. */
  decode(frames: readonly Buffer[]): Message | undefined {
    const delimiter = frames.slice(0, MAX_IDENTITIES).findIndex((frame) => frame.equals(DELIMITER));
    const [signature, ...parts] = frames.slice(delimiter + 1, delimiter + 6);
    if (delimiter < 0 || signature === undefined || parts.length < 4) return undefined;
    const expected = Buffer.from(this.#sign(parts));
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return undefined;
    if (this.#key !== "" && !this.#isNew(signature.toString("latin1"))) return undefined;
    try {
      const objects = parts.map((part) => JSON.parse(part.toString()) as unknown);
      const [header, parent, metadata, content] = objects as [Header, Partial<Header>, Content, Content];
      if (!objects.every(isObject) || typeof header.msg_type !== "string") return undefined;
      return { identities: frames.slice(0, delimiter), header, parent, metadata, content };
    } catch {
      return undefined;
    }
  }

  #isNew(signature: string): boolean {
    if (this.#received.has(signature)) return false;
    this.#received.add(signature);
    const [oldest] = this.#received.size > MAX_SIGNATURES ? this.#received : [];
    if (oldest !== undefined) this.#received.delete(oldest);
    return true;
  }

  #sign(parts: ReadonlyArray<Buffer | string>): string {
    if (this.#key === "") return "";
    const hmac = createHmac(this.#hash, this.#key);
    for (const part of parts) hmac.update(part);
    return hmac.digest("hex");
  }
}

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
