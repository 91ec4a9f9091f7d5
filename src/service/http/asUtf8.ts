import { isUtf8 } from "node:buffer";

/**
 * Converts a JSON body to UTF-8. Servers often declare a wrong charset, so it counts only if the bytes are not valid UTF-8
 * or contain a NUL, which JSON never does. Bytes in an unknown charset stay as they are.
 *
 * @example
 * asUtf8(Buffer.from('"é"', "latin1"), "application/json; charset=iso-8859-1").toString(); //=> "\"é\""
 */
export function asUtf8(body: Buffer, contentType: string | undefined): Buffer {
  const name = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? "")?.[1];
  if (name === undefined || /^utf-?8$/i.test(name) || (isUtf8(body) && !body.includes(0))) return body;
  try {
    return Buffer.from(new TextDecoder(name).decode(body));
  } catch {
    return body;
  }
}
