import { brotliCompressSync, createGzip, deflateSync, gzipSync } from "node:zlib";
import { type Fault, family, head, type Strike, send } from "./fault.js";

type Act = (strike: Strike) => void;

/** The member with the rows, the rows and the cursor of the correct body. */
function rowsOf({ body }: Strike): { name: string; rows: object[]; cursor: unknown } {
  const { cursor, ...rest } = JSON.parse(body.toString()) as Record<string, unknown>;
  const [name = "rows", rows = []] = Object.entries(rest)[0] ?? [];
  return { name, rows: rows as object[], cursor };
}

const withRows =
  (change: (rows: object[]) => unknown): Act =>
  (strike) => {
    const { name, rows, cursor } = rowsOf(strike);
    send(strike, JSON.stringify({ cursor, [name]: change(rows) }));
  };
/** Another text or other bytes in place of the body. */
const as =
  (make: (strike: Strike) => string | Buffer): Act =>
  (strike) =>
    send(strike, make(strike));
/** The body, changed, with a content encoding. */
const encoded =
  (encoding: string, change: (body: Buffer) => Buffer): Act =>
  (strike) =>
    send(strike, change(strike.body), 200, { "content-encoding": encoding });
/** The body, changed, with a content type. */
const typed =
  (type: string, change: (body: Buffer) => Buffer = (body) => body): Act =>
  (strike) =>
    send(strike, change(strike.body), 200, { "content-type": type });

const BOMB = gzipSync(Buffer.alloc(64 * 2 ** 20));
const same = (body: Buffer) => body;
const latin1 = (body: Buffer) => Buffer.from(body.toString().replaceAll("𝄞", "\\ud834\\udd1e"), "latin1");
const utf16 = (body: Buffer | string) => Buffer.from(body.toString(), "utf16le");
const unexpected = { code: "UNEXPECTED_BODY" } as const;
const shape = { family: "body of another shape" } as const;

/** The right status with a wrong body. */
export const bodyFaults: readonly Fault[] = [
  ...family({ ...shape, code: "BODY_NOT_JSON" }, [
    ["HTML with 200", (strike) => send(strike, `<p>Sign in: ${strike.key}</p>`, 200, { "content-type": "text/html" })],
    ["garbage with 200", as(() => "\u0000\u0001{]")],
    ["an empty body with 200", as(() => "")],
    ["204", ({ response }) => response.writeHead(204).end()],
    ["truncated JSON", as(({ body }) => body.toString().slice(0, -20))],
    ["JSON followed by the key", as(({ body, key }) => `${body}${key}`)],
    ["a control character in a string", as(({ body }) => body.toString().replace(':"', ':"\t'))],
    [
      "an invalid number",
      as(({ body }) => body.toString().replace(/("programid":|"congress":|"id":(?=[78],"name"))/, "$10")),
    ],
    ["an error object that is not JSON", as(({ key }) => `{"error":nul,"key":${JSON.stringify(key)}}`)],
  ]),
  ...family({ ...shape, ...unexpected }, [
    ["an array", as(({ body }) => `[${body}]`)],
    ["null", as(() => "null")],
    ["a number", as(() => "17")],
    ["a string", as(({ key }) => JSON.stringify(`no such key: ${key}`))],
    ["true", as(() => "true")],
    ["an error object", as(({ key }) => JSON.stringify({ error: `bad key ${key}` }))],
    ["rows that are numbers", withRows((rows) => rows.map((_, at) => at))],
    ["rows that are lists", withRows((rows) => rows.map(() => []))],
    ["null among the rows", withRows((rows) => [...rows, null])],
    ["rows in an object", withRows((rows) => ({ ...rows }))],
    ["rows in a string", withRows((rows) => JSON.stringify(rows))],
    ["a member nested 100,000 deep", as(() => `${"[".repeat(1e5)}${"]".repeat(1e5)}`)],
  ]),
  ...family(shape, [
    [
      "white space and line breaks everywhere",
      as(({ body }) => JSON.stringify(JSON.parse(body.toString()), undefined, "\r\n\t")),
    ],
    [
      "the rows member twice, the last one right",
      as((strike) => strike.body.toString().replace("{", `{"${rowsOf(strike).name}":[{"id":666}],`)),
    ],
  ]),

  ...family({ family: "body too large", code: "BODY_TOO_LARGE" }, [
    ["500 MB, streamed", (strike) => flood(strike, 500 * 2 ** 20)],
    ["500 MB, with a length", (strike) => flood(strike, 500 * 2 ** 20, true)],
    ["a gzip bomb", encoded("gzip", () => BOMB)],
    // More than one encoding is refused before anything is decoded.
    ["a gzip bomb in gzip", encoded("gzip, gzip", () => gzipSync(BOMB)), unexpected],
    [
      "an endless gzip body",
      ({ response }) => {
        response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
        const gzip = createGzip({ level: 0 });
        gzip.pipe(response);
        const more = () => {
          while (!response.destroyed && gzip.write(Buffer.alloc(65_536, 32)));
        };
        gzip.on("drain", more);
        response.once("close", () => gzip.destroy());
        more();
      },
    ],
  ]),

  ...family({ family: "content encoding" }, [["gzip", encoded("gzip", (body) => gzipSync(body))]]),
  ...family({ family: "content encoding", ...unexpected }, [
    ["brotli in gzip", encoded("br, GZIP", (body) => gzipSync(brotliCompressSync(body)))],
    [
      "truncated gzip",
      encoded("gzip", (body) => gzipSync(body).subarray(0, -12)),
      { code: "BODY_TRUNCATED", passes: true },
    ],
    [
      "gzip with a wrong checksum",
      encoded("gzip", (body) => {
        const bytes = gzipSync(body);
        bytes.writeUInt32LE(1, bytes.length - 8);
        return bytes;
      }),
    ],
    ["plain text declared as gzip", encoded("gzip", same)],
    ["gzip that is not declared", as(({ body }) => gzipSync(body)), { code: "BODY_NOT_JSON" }],
    ["deflate, which was not requested", encoded("deflate", (body) => deflateSync(body))],
    ["an encoding named after the key", (strike) => encoded(strike.key, same)(strike)],
    ["gzip applied a thousand times", encoded(Array(1000).fill("gzip").join(","), same)],
  ]),

  ...family({ family: "charset" }, [
    ["a byte-order mark", as(({ body }) => `\ufeff${body}`)],
    ["UTF-16 with a byte-order mark", as(({ body }) => utf16(`\ufeff${body}`)), { code: "BODY_NOT_JSON" }],
    ["UTF-16 without a byte-order mark", as(({ body }) => utf16(body)), { code: "BODY_NOT_JSON" }],
    ["UTF-16, declared", typed("application/json; charset=utf-16le", utf16), unexpected],
    ["Latin-1, declared", typed("application/json; charset=ISO-8859-1", latin1), unexpected],
    ["UTF-8 declared as Latin-1", typed("application/json; charset=ISO-8859-1")],
    ["an unknown charset", typed('application/json; charset="klingon"')],
    ["JSON declared as HTML", typed("text/html")],
    ["no content type", ({ socket, body }) => socket.write(head("200 OK", { "content-length": body.length }) + body)],
    [
      "every character escaped",
      as(({ body }) =>
        body.toString().replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
      ),
    ],
  ]),
];

/** Sends a body of white space as fast as the client reads it. */
function flood({ response }: Strike, bytes: number, announced = false): void {
  response.writeHead(200, { "content-type": "application/json", ...(announced && { "content-length": bytes }) });
  const block = Buffer.alloc(65_536, 32);
  let left = bytes;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= block.length;
      if (!response.write(block)) return;
    }
    if (left <= 0) response.end();
  };
  response.on("drain", more);
  more();
}
