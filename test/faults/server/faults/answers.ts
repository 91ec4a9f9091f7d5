import type { ErrorCode } from "../../../../src/index.js";
import { type Fault, family, type Strike, send } from "./fault.js";

const complaint = ({ key }: Strike) => JSON.stringify({ message: `no: ${key}`, also: encodeURIComponent(key) });

const statuses = (common: Omit<Fault, "name">, codes: Readonly<Record<number, ErrorCode>>) =>
  family(
    common,
    Object.entries(codes).map(([status, code]) => [
      status,
      (strike) => send(strike, complaint(strike), Number(status), { "x-echo": encodeURIComponent(strike.key) }),
      { code },
    ]),
  );

const throttles = (passes: boolean, waits: Readonly<Record<string, (strike: Strike) => string>>) =>
  family(
    { family: "429", code: "RATE_LIMITED", passes },
    Object.entries(waits).map(([name, retryAfter]) => [
      `429, Retry-After ${name}`,
      (strike) => send(strike, complaint(strike), 429, { "retry-after": retryAfter(strike) }),
    ]),
  );

const redirects = (targets: Readonly<Record<string, (strike: Strike) => string>>) =>
  family(
    { family: "redirect", code: "REDIRECT_REFUSED" },
    Object.entries(targets).map(([name, to]) => [
      name,
      (strike) => send(strike, "moved", Number(name.slice(0, 3)), { location: to(strike) }),
    ]),
  );

const here = ({ request }: Strike) => `${request.url}${request.url?.includes("?") ? "&" : "?"}moved=1`;
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toUTCString();

/** Refusals and redirects. */
export const answerFaults: readonly Fault[] = [
  ...redirects({
    "301 to the same origin": here,
    "302 to the same origin": here,
    "307 to the same origin, absolute": (strike) => `http://${strike.request.headers.host}${here(strike)}`,
    "308 to the same origin": here,
    "301 to another origin": ({ elsewhere }) => `${elsewhere}/bills`,
    "302 to another origin, with the key": ({ elsewhere, key }) => `${elsewhere}/?key=${encodeURIComponent(key)}`,
    "307 to another origin, by its host alone": ({ elsewhere }) => elsewhere.replace("http:", ""),
    "302 to another host name of this machine": ({ request }) =>
      `http://localhost:${request.socket.localPort}${request.url}`,
    "302 to another scheme": () => "file:///etc/passwd",
    "302 to no address": ({ key }) => `http://[${encodeURIComponent(key)}`,
    "302 in circles": ({ request }) => String(request.url),
  }),
  ...family({ family: "redirect" }, [
    ["303 without a location", (strike) => send(strike, "moved", 303), { code: "REDIRECT_REFUSED" }],
    ["304", ({ response }) => response.writeHead(304).end(), { code: "HTTP_ERROR" }],
  ]),
  ...statuses(
    { family: "400 to 422" },
    {
      400: "HTTP_ERROR",
      401: "AUTHENTICATION",
      403: "AUTHENTICATION",
      404: "NOT_FOUND",
      408: "HTTP_ERROR",
      409: "HTTP_ERROR",
      413: "HTTP_ERROR",
      422: "HTTP_ERROR",
    },
  ),
  ...statuses({ family: "429", passes: true }, { 429: "RATE_LIMITED" }),
  ...throttles(true, {
    "in seconds": () => "1",
    "of zero": () => "0",
    "as a date": () => new Date(Math.ceil(Date.now() / 1000) * 1000).toUTCString(),
    "as a past date": () => inHours(-1),
    "as an obsolete date": () => "Sunday, 06-Nov-94 08:49:37 GMT",
    negative: () => "-5",
    "with the key as text": ({ key }) => encodeURIComponent(key),
    empty: () => "",
  }),
  ...throttles(false, { enormous: () => "9".repeat(40), "as a distant date": () => inHours(48) }),
  ...statuses(
    { family: "500 to 504", passes: true },
    Object.fromEntries([500, 501, 502, 503, 504].map((status) => [status, "SERVER_ERROR"])),
  ),
  ...family({ family: "500 to 504", code: "SERVER_ERROR", passes: true }, [
    [
      "503 with a page of HTML and a Retry-After",
      (strike) => send(strike, `<h1>${strike.key}</h1>`, 503, { "retry-after": "0", "content-type": "text/html" }),
    ],
    [
      "500 with a body that never ends",
      ({ response, key }) => {
        response.writeHead(500);
        const more = () => {
          while (!response.destroyed && response.write(key.repeat(1000)));
        };
        response.on("drain", more);
        more();
      },
    ],
  ]),
];
