import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject } from "../../util/isObject.js";
import type { Content, Header, Message } from "./message.js";

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
