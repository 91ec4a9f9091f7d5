import { createHash } from "node:crypto";

/** The SHA-256 of text or bytes, as 64 hexadecimal digits. */
export function sha256Of(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}
