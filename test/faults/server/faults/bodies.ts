import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { type Fault, head, type Strike, send } from "./fault.js";

const shape = { family: "body of another shape" } as const;
const size = { family: "body too large", code: "BODY_TOO_LARGE" } as const;
const coding = { family: "content encoding" } as const;
const charset = { family: "charset" } as const;

/** The member with the rows, the rows and the cursor of the correct body. */
function rowsOf({ body }: Strike): { name: string; rows: object[]; cursor: unknown } {
  const { cursor, ...rest } = JSON.parse(body.toString()) as Record<string, unknown>;
  const [name = "rows", rows = []] = Object.entries(rest)[0] ?? [];
  return { name, rows: rows as object[], cursor };
}

const withRows = (change: (rows: object[]) => unknown) => (strike: Strike) => {
  const { name, rows, cursor } = rowsOf(strike);
  send(strike, JSON.stringify({ cursor, [name]: change(rows) }));
};

const notJson = (name: string, make: (strike: Strike) => string): Fault => ({
  ...shape,
  name,
  code: "BODY_NOT_JSON",
  act: (strike) => send(strike, make(strike)),
});
const another = (name: string, make: (strike: Strike) => string): Fault => ({
  ...shape,
  name,
  code: "UNEXPECTED_BODY",
  act: (strike) => send(strike, make(strike)),
});

const BOMB = gzipSync(Buffer.alloc(64 * 2 ** 20));
const latin1 = ({ body }: Strike) => Buffer.from(body.toString().replaceAll("𝄞", "\\ud834\\udd1e"), "latin1");

/** The right status with a wrong body. */
export const bodyFaults: readonly Fault[] = [
  {
    ...shape,
    name: "HTML with 200",
    code: "BODY_NOT_JSON",
    act: (strike) => send(strike, `<html><p>Sign in: ${strike.key}</p></html>`, 200, { "content-type": "text/html" }),
  },
  notJson("garbage with 200", () => "\u0000\u0001{]"),
  notJson("an empty body with 200", () => ""),
  { ...shape, name: "204", code: "BODY_NOT_JSON", act: ({ response }) => response.writeHead(204).end() },
  notJson("truncated JSON", ({ body }) => body.toString().slice(0, -20)),
  notJson("JSON followed by the key", ({ body, key }) => `${body}${key}`),
  notJson("a control character in a string", ({ body }) => body.toString().replace(':"', ':"\t')),
  notJson("an invalid number", ({ body }) =>
    body
      .toString()
      .replace('"programid":', '"programid":01')
      .replace('"congress":', '"congress":01')
      .replace('"id":7,"name"', '"id":07,"name"')
      .replace('"id":8,"name"', '"id":08,"name"'),
  ),
  notJson("an error object that is not JSON", ({ key }) => `{"error":nul,"key":${JSON.stringify(key)}}`),
  another("an array", ({ body }) => `[${body}]`),
  another("null", () => "null"),
  another("a number", () => "17"),
  another("a string", ({ key }) => JSON.stringify(`no such key: ${key}`)),
  another("true", () => "true"),
  another("an error object", ({ key }) => JSON.stringify({ error: `bad key ${key}` })),
  {
    ...shape,
    name: "rows that are numbers",
    code: "UNEXPECTED_BODY",
    act: withRows((rows) => rows.map((_, at) => at)),
  },
  { ...shape, name: "rows that are lists", code: "UNEXPECTED_BODY", act: withRows((rows) => rows.map(() => [])) },
  { ...shape, name: "null among the rows", code: "UNEXPECTED_BODY", act: withRows((rows) => [...rows, null]) },
  { ...shape, name: "rows in an object", code: "UNEXPECTED_BODY", act: withRows((rows) => ({ ...rows })) },
  { ...shape, name: "rows in a string", code: "UNEXPECTED_BODY", act: withRows((rows) => JSON.stringify(rows)) },
  {
    ...shape,
    name: "a member nested 100,000 deep",
    code: "UNEXPECTED_BODY",
    act: (strike) => send(strike, `${"[".repeat(1e5)}${"]".repeat(1e5)}`),
  },
  {
    ...shape,
    name: "white space and line breaks everywhere",
    act: (strike) => send(strike, JSON.stringify(JSON.parse(strike.body.toString()), undefined, "\r\n\t")),
  },
  {
    ...shape,
    name: "the rows member twice, the last one right",
    act: (strike) => {
      const { name } = rowsOf(strike);
      send(strike, strike.body.toString().replace("{", `{"${name}":[{"id":666}],`));
    },
  },

  { ...size, name: "500 MB, streamed", act: (strike) => flood(strike, 500 * 2 ** 20) },
  { ...size, name: "500 MB, with a length", act: (strike) => flood(strike, 500 * 2 ** 20, true) },
  { ...size, name: "a gzip bomb", act: (strike) => send(strike, BOMB, 200, { "content-encoding": "gzip" }) },
  {
    ...size,
    name: "a gzip bomb in gzip",
    // More than one encoding is refused before anything is decoded.
    code: "UNEXPECTED_BODY",
    act: (strike) => send(strike, gzipSync(BOMB), 200, { "content-encoding": "gzip, gzip" }),
  },
  {
    ...size,
    name: "an endless gzip body",
    act: ({ response }) => {
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
  },

  {
    ...coding,
    name: "gzip",
    act: (strike) => send(strike, gzipSync(strike.body), 200, { "content-encoding": "gzip" }),
  },
  {
    ...coding,
    name: "deflate",
    act: (strike) => send(strike, deflateSync(strike.body), 200, { "content-encoding": "deflate" }),
  },
  {
    ...coding,
    name: "brotli in gzip",
    code: "UNEXPECTED_BODY",
    act: (strike) => send(strike, gzipSync(brotliCompressSync(strike.body)), 200, { "content-encoding": "br, GZIP" }),
  },
  {
    ...coding,
    name: "truncated gzip",
    code: "BODY_TRUNCATED",
    passes: true,
    act: (strike) => send(strike, gzipSync(strike.body).subarray(0, -12), 200, { "content-encoding": "gzip" }),
  },
  {
    ...coding,
    name: "gzip with a wrong checksum",
    code: "UNEXPECTED_BODY",
    act: (strike) => {
      const bytes = gzipSync(strike.body);
      bytes.writeUInt32LE(1, bytes.length - 8);
      send(strike, bytes, 200, { "content-encoding": "gzip" });
    },
  },
  {
    ...coding,
    name: "plain text declared as gzip",
    code: "UNEXPECTED_BODY",
    act: (strike) => send(strike, strike.body, 200, { "content-encoding": "gzip" }),
  },
  {
    ...coding,
    name: "gzip that is not declared",
    code: "BODY_NOT_JSON",
    act: (strike) => send(strike, gzipSync(strike.body)),
  },
  {
    ...coding,
    name: "deflate without its header",
    code: "UNEXPECTED_BODY",
    act: (strike) => send(strike, deflateRawSync(strike.body), 200, { "content-encoding": "deflate" }),
  },
  {
    ...coding,
    name: "an encoding named after the key",
    code: "UNEXPECTED_BODY",
    act: (strike) => send(strike, strike.body, 200, { "content-encoding": strike.key }),
  },
  {
    ...coding,
    name: "gzip applied a thousand times",
    code: "UNEXPECTED_BODY",
    act: (strike) => send(strike, strike.body, 200, { "content-encoding": Array(1000).fill("gzip").join(",") }),
  },

  { ...charset, name: "a byte-order mark", act: (strike) => send(strike, `\ufeff${strike.body}`) },
  {
    ...charset,
    name: "UTF-16 with a byte-order mark",
    code: "BODY_NOT_JSON",
    act: (strike) => send(strike, Buffer.from(`\ufeff${strike.body}`, "utf16le")),
  },
  {
    ...charset,
    name: "UTF-16 without a byte-order mark",
    code: "BODY_NOT_JSON",
    act: (strike) => send(strike, Buffer.from(strike.body.toString(), "utf16le")),
  },
  {
    ...charset,
    name: "UTF-16, declared",
    act: (strike) =>
      send(strike, Buffer.from(strike.body.toString(), "utf16le"), 200, {
        "content-type": "application/json; charset=utf-16le",
      }),
  },
  {
    ...charset,
    name: "Latin-1, declared",
    act: (strike) => send(strike, latin1(strike), 200, { "content-type": "application/json; charset=ISO-8859-1" }),
  },
  {
    ...charset,
    name: "UTF-8 declared as Latin-1",
    act: (strike) => send(strike, strike.body, 200, { "content-type": "application/json; charset=ISO-8859-1" }),
  },
  {
    ...charset,
    name: "an unknown charset",
    act: (strike) => send(strike, strike.body, 200, { "content-type": 'application/json; charset="klingon"' }),
  },
  {
    ...charset,
    name: "JSON declared as HTML",
    act: (strike) => send(strike, strike.body, 200, { "content-type": "text/html" }),
  },
  {
    ...charset,
    name: "no content type",
    act: ({ socket, body }) => socket.write(head("200 OK", { "content-length": body.length }) + body),
  },
  {
    ...charset,
    name: "every character escaped",
    act: (strike) => {
      const escaped = strike.body
        .toString()
        .replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
      send(strike, escaped);
    },
  },
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
