import { createHmac, timingSafeEqual } from "node:crypto";
import type { Content, Header, Message } from "./message.js";

/** The parts of a message on a socket. */
export type Frames = Array<Buffer | string>;

const DELIMITER = Buffer.from("<IDS|MSG>");

/** Writes and reads messages, and signs and checks them with the key of a connection. */
export class Wire {
  readonly #key: string;
  readonly #hash: string;

  constructor({ key, signature_scheme }: { readonly key: string; readonly signature_scheme: string }) {
    this.#key = key;
    this.#hash = signature_scheme.replace(/^hmac-/, "");
  }

  /** @throws TypeError for content that JSON has no form for; whole numbers beyond JSON become text */
  encode({ identities, header, parent, metadata, content }: Message): Frames {
    const parts = [header, parent, metadata, content].map((part) => JSON.stringify(part, bigintAsText));
    return [...identities, DELIMITER, this.#sign(parts), ...parts];
  }

  /** The message of some frames; undefined when it is none, or when its signature is wrong. */
  decode(frames: readonly Buffer[]): Message | undefined {
    const at = frames.findIndex((frame) => frame.equals(DELIMITER));
    const [signature, ...parts] = frames.slice(at + 1, at + 6);
    if (at < 0 || signature === undefined || parts.length < 4) return undefined;
    const expected = Buffer.from(this.#sign(parts));
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return undefined;
    try {
      const [header, parent, metadata, content] = parts.map((part) => JSON.parse(part.toString()));
      if (typeof (header as Partial<Header> | null)?.msg_type !== "string") return undefined;
      return { identities: frames.slice(0, at), header, parent, metadata: metadata as Content, content };
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

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
