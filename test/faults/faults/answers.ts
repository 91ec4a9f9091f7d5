import { type Act, type Fault, faultsOf, flood, type Strike, send } from "./fault.js";

const complaint = ({ key }: Strike) => JSON.stringify({ message: `no: ${key}`, also: encodeURIComponent(key) });

/** A status that the body and a header explain with the key. */
const statuses = (...all: readonly number[]): Record<string, Act> =>
  Object.fromEntries(
    all.map((status) => [
      `status ${status}`,
      (strike) => send(strike, complaint(strike), status, { "x-echo": encodeURIComponent(strike.key) }),
    ]),
  );

const throttles = (waits: Readonly<Record<string, (strike: Strike) => string>>): Fault[] =>
  Object.entries(waits).flatMap(([name, wait]) =>
    faultsOf("RATE_LIMITED", {
      [`429, Retry-After ${name}`]: (strike) => send(strike, complaint(strike), 429, { "retry-after": wait(strike) }),
    }),
  );

/** Redirects, by their status and their target. */
const redirects = (targets: Readonly<Record<string, (strike: Strike) => string>>): Fault[] =>
  Object.entries(targets).flatMap(([name, to]) =>
    faultsOf("REDIRECT_REFUSED", {
      [name]: (strike) => send(strike, "moved", Number(name.slice(0, 3)), { location: to(strike) }),
    }),
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
  ...faultsOf("REDIRECT_REFUSED", { "303 without a location": (strike) => send(strike, "moved", 303) }),
  ...faultsOf("HTTP_ERROR", {
    "304": ({ response }) => response.writeHead(304).end(),
    ...statuses(400, 408, 409, 413, 422),
  }),
  ...faultsOf("AUTHENTICATION", statuses(401, 403)),
  ...faultsOf("NOT_FOUND", statuses(404)),
  ...faultsOf("RATE_LIMITED", statuses(429)),
  ...throttles({
    "in seconds": () => "1",
    "of zero": () => "0",
    "as a date": () => new Date(Math.ceil(Date.now() / 1000) * 1000).toUTCString(),
    "as a past date": () => inHours(-1),
    "as an obsolete date": () => "Sunday, 06-Nov-94 08:49:37 GMT",
    negative: () => "-5",
    "with the key as text": ({ key }) => encodeURIComponent(key),
    empty: () => "",
  }),
  ...throttles({ enormous: () => "9".repeat(40), "as a distant date": () => inHours(48) }).map((fault) => ({
    ...fault,
    isFinal: true,
  })),
  ...faultsOf("SERVER_ERROR", {
    ...statuses(500, 501, 502, 503, 504),
    "503 with a page of HTML and a Retry-After": (strike) =>
      send(strike, `<h1>${strike.key}</h1>`, 503, { "retry-after": "0", "content-type": "text/html" }),
    "500 with a body that never ends": (strike) => {
      strike.response.writeHead(500);
      flood(strike, Buffer.from(strike.key.repeat(1000)));
    },
  }),
];
