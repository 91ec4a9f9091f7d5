import { isUtf8 } from "node:buffer";

/**
 * A body of JSON as UTF-8. The charset that a server names is often wrong, so it counts only where the bytes cannot be
 * UTF-8: they are not, or they hold a NUL, which no JSON does. Bytes of an unknown charset stay as they are.
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
