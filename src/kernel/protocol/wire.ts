import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject } from "../../util/isObject.js";
import type { Content, Header, Message } from "./message.js";

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

  constructor({ key, signature_scheme }: { readonly key: string; readonly signature_scheme: string }) {
    this.#key = key;
    this.#hash = signature_scheme.replace(/^hmac-/, "");
  }

  /** @param parts the JSON of header, parent, metadata and content */
  encode(identities: readonly Uint8Array[], parts: readonly string[]): Frames {
    return [...identities.map((identity) => Buffer.from(identity)), DELIMITER, this.#sign(parts), ...parts];
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
