import { brotliCompressSync, createGzip, deflateSync, gzipSync } from "node:zlib";
import { type Act, type Fault, faultsOf, flood, type Strike, send } from "./fault.js";

/** Another text or other bytes in place of the body. */
const as =
  (make: (strike: Strike) => string | Buffer, headers: Readonly<Record<string, string>> = {}): Act =>
  (strike) =>
    send(strike, make(strike), 200, headers);
/** The body, changed, with a content encoding. */
const encoded = (encoding: string, change: (body: Buffer) => Buffer): Act =>
  as(({ body }) => change(body), { "content-encoding": encoding });
/** The body, changed, with a content type. */
const typed = (type: string, change: (body: Buffer) => Buffer = same): Act =>
  as(({ body }) => change(body), { "content-type": type });
/** The body with other rows. */
const withRows = (change: (rows: object[]) => unknown): Act =>
  as(({ body }) => {
    const { cursor, ...rest } = JSON.parse(body.toString()) as Record<string, unknown>;
    const [name = "rows", rows = []] = Object.entries(rest)[0] ?? [];
    return JSON.stringify({ cursor, [name]: change(rows as object[]) });
  });
/** The body of a text with a replacement. */
const replaced = (pattern: string | RegExp, replacement: string): Act =>
  as(({ body }) => body.toString().replace(pattern, replacement));

const BOMB = gzipSync(Buffer.alloc(64 * 2 ** 20));
const SPACES = Buffer.alloc(65_536, 32);
const HUGE = 500 * 2 ** 20;
const same = (body: Buffer) => body;
const latin1 = (body: Buffer) => Buffer.from(body.toString().replaceAll("𝄞", "\\ud834\\udd1e"), "latin1");
const utf16 = (body: Buffer | string) => Buffer.from(body.toString(), "utf16le");
const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
function wrongChecksum(body: Buffer): Buffer {
  const bytes = gzipSync(body);
  bytes.writeUInt32LE(1, bytes.length - 8);
  return bytes;
}

/** The right status with a wrong body. */
export const bodyFaults: readonly Fault[] = [
  ...faultsOf("BODY_NOT_JSON", {
    "HTML with 200": as(({ key }) => `<p>Sign in: ${key}</p>`, { "content-type": "text/html" }),
    "garbage with 200": as(() => "\u0000\u0001{]"),
    "an empty body with 200": as(() => ""),
    "204": ({ response }) => response.writeHead(204).end(),
    "truncated JSON": as(({ body }) => body.toString().slice(0, -20)),
    "JSON followed by the key": as(({ body, key }) => `${body}${key}`),
    "a control character in a string": replaced(':"', ':"\t'),
    "an invalid number": replaced(/("programid":|"congress":|"id":(?=[78],"name"))/, "$10"),
    "an error object that is not JSON": as(({ key }) => `{"error":nul,"key":${JSON.stringify(key)}}`),
    "gzip that is not declared": as(({ body }) => gzipSync(body)),
    "UTF-16 with a byte-order mark": as(({ body }) => utf16(`\ufeff${body}`)),
    "UTF-16 without a byte-order mark": as(({ body }) => utf16(body)),
  }),
  ...faultsOf("UNEXPECTED_BODY", {
    "an array": as(({ body }) => `[${body}]`),
    null: as(() => "null"),
    "a number": as(() => "17"),
    "a string": as(({ key }) => JSON.stringify(`no such key: ${key}`)),
    true: as(() => "true"),
    "an error object": as(({ key }) => JSON.stringify({ error: `bad key ${key}` })),
    "rows that are numbers": withRows((rows) => rows.map((_, at) => at)),
    "rows that are lists": withRows((rows) => rows.map(() => [])),
    "null among the rows": withRows((rows) => [...rows, null]),
    "rows in an object": withRows((rows) => ({ ...rows })),
    "rows in a string": withRows((rows) => JSON.stringify(rows)),
    "a member nested 100,000 deep": as(() => `${"[".repeat(1e5)}${"]".repeat(1e5)}`),
    // More than one encoding is refused before anything is decoded.
    "a gzip bomb in gzip": encoded("gzip, gzip", () => gzipSync(BOMB)),
    "gzip applied a thousand times": encoded(Array(1000).fill("gzip").join(","), same),
    "brotli in gzip": encoded("br, GZIP", (body) => gzipSync(brotliCompressSync(body))),
    "gzip with a wrong checksum": encoded("gzip", wrongChecksum),
    "plain text declared as gzip": encoded("gzip", same),
    "deflate, which was not requested": encoded("deflate", (body) => deflateSync(body)),
    "an encoding named after the key": (strike) => encoded(strike.key, same)(strike),
    "UTF-16, declared": typed("application/json; charset=utf-16le", utf16),
    "Latin-1, declared": typed("application/json; charset=ISO-8859-1", latin1),
  }),
  ...faultsOf("BODY_TRUNCATED", { "truncated gzip": encoded("gzip", (body) => gzipSync(body).subarray(0, -12)) }),
  ...faultsOf("BODY_TOO_LARGE", {
    "500 MB, streamed": (strike) => {
      strike.response.writeHead(200, { "content-type": "application/json" });
      flood(strike, SPACES, HUGE);
    },
    "500 MB, with a length": (strike) => {
      strike.response.writeHead(200, { "content-type": "application/json", "content-length": HUGE });
      flood(strike, SPACES, HUGE);
    },
    "a gzip bomb": encoded("gzip", () => BOMB),
    "an endless gzip body": (strike) => {
      const { response } = strike;
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      const gzip = createGzip({ level: 0 });
      gzip.pipe(response).once("close", () => gzip.destroy());
      flood(strike, SPACES, undefined, gzip);
    },
  }),
  ...faultsOf(undefined, {
    "white space and line breaks everywhere": as(({ body }) =>
      JSON.stringify(JSON.parse(body.toString()), undefined, "\r\n\t"),
    ),
    "the rows member twice, the last one right": replaced(/"(\w+)":\[/, '"$1":[{"id":666}],"$1":['),
    gzip: encoded("gzip", (body) => gzipSync(body)),
    "a byte-order mark": as(({ body }) => `\ufeff${body}`),
    "UTF-8 declared as Latin-1": typed("application/json; charset=ISO-8859-1"),
    "an unknown charset": typed('application/json; charset="klingon"'),
    "JSON declared as HTML": typed("text/html"),
    "no content type": ({ response, body }) => response.writeHead(200, { "content-length": body.length }).end(body),
    "every character escaped": as(({ body }) => body.toString().replace(/[^\x20-\x7e]/g, escaped)),
  }),
];
