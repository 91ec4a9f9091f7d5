import { crc32 } from "node:zlib";

/** The CRC-32 of a text, as 8 hexadecimal digits. */
export function crc32Of(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
