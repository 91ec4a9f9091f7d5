import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject } from "../../util/isObject.js";
import type { Content, Header, Message } from "./message.js";

/** The parts of a message on a socket. */
export type Frames = Array<Buffer | string>;

const DELIMITER = Buffer.from("<IDS|MSG>");

/** So many messages are remembered, as Jupyter itself does it: sent again, one is refused. */
const REMEMBERED = 2 ** 16;

/** Identities before the delimiter: one for each router on the way. */
const MAX_IDENTITIES = 16;

/** Writes and reads messages, and signs and checks them with the key of a connection. */
export class Wire {
  readonly #key: string;
  readonly #hash: string;
  /** Signatures of messages that came, the oldest first. */
  readonly #came = new Set<string>();

  constructor({ key, signature_scheme }: { readonly key: string; readonly signature_scheme: string }) {
    this.#key = key;
    this.#hash = signature_scheme.replace(/^hmac-/, "");
  }

  /** @throws TypeError for content that JSON has no form for; whole numbers beyond JSON become text */
  encode({ identities, header, parent, metadata, content }: Message): Frames {
    const parts = [header, parent, metadata, content].map((part) => JSON.stringify(part, bigintAsText));
    return [...identities, DELIMITER, this.#sign(parts), ...parts];
  }

  /** The message of some frames; undefined when it is none, when its signature is wrong, and when it has come before. */
  decode(frames: readonly Buffer[]): Message | undefined {
    const at = frames.slice(0, MAX_IDENTITIES).findIndex((frame) => frame.equals(DELIMITER));
    const [signature, ...parts] = frames.slice(at + 1, at + 6);
    if (at < 0 || signature === undefined || parts.length < 4) return undefined;
    const expected = Buffer.from(this.#sign(parts));
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return undefined;
    if (this.#key !== "" && !this.#isNew(signature.toString("latin1"))) return undefined;
    try {
      const objects = parts.map((part) => JSON.parse(part.toString()) as unknown);
      const [header, parent, metadata, content] = objects as [Header, Partial<Header>, Content, Content];
      if (!objects.every(isObject) || typeof header.msg_type !== "string") return undefined;
      return { identities: frames.slice(0, at), header, parent, metadata, content };
    } catch {
      return undefined;
    }
  }

  #isNew(signature: string): boolean {
    if (this.#came.has(signature)) return false;
    this.#came.add(signature);
    const [oldest] = this.#came.size > REMEMBERED ? this.#came : [];
    if (oldest !== undefined) this.#came.delete(oldest);
    return true;
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
