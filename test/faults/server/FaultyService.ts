import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { billRow, mentionRow, PAGE_ROWS, type Place, personRow, ROWS } from "./corpus.js";
import { type Fault, faultNamed } from "./faults/index.js";
import { isAt, type NumberedPage, pageAt } from "./paging.js";

/** The fault of a service, and where it strikes. */
export interface FaultOrder {
  readonly fault: string;
  readonly place: Place;
  /** Strikes every time, not only once. */
  readonly isLasting: boolean;
  /** Strikes lookups of a person instead of searches. */
  readonly atPerson: boolean;
}

/** The statistics of a service. */
export interface FaultReport {
  /** Open connections. */
  readonly open: number;
  /** Bytes written to all connections. */
  readonly sent: number;
  readonly strikes: number;
  /** Requests for the first page. */
  readonly first: number;
  /** Requests with a cursor that the service never sent. */
  readonly strange: number;
}

/** A service for one case. Its own port ensures that all its connections belong to that case. */
export class FaultyService {
  readonly #fault: Fault;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #given = new Set<string>();
  #port = 0;
  #healed = false;
  readonly #counts = { sent: 0, strikes: 0, first: 0, strange: 0 };

  constructor(
    readonly order: FaultOrder,
    readonly elsewhere: string,
  ) {
    this.#fault = faultNamed(order.fault);
    // Clients send a 1 MB cursor back.
    this.#server = createServer({ maxHeaderSize: 8 * 2 ** 20 }, (request, response) => this.#answer(request, response));
    this.#server.keepAliveTimeout = 0;
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => {
        this.#counts.sent += socket.bytesWritten;
        this.#sockets.delete(socket);
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(this.#port, "127.0.0.1", resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Removes the fault. */
  async heal(): Promise<void> {
    this.#healed = true;
    if (!this.#server.listening) await this.listen();
  }

  /** Waits up to a minute for the connections to close, and stops: a busy machine may take its time. */
  async end(): Promise<FaultReport> {
    for (const until = Date.now() + 60_000; this.#sockets.size > 0 && Date.now() < until; ) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const open = this.#sockets.size;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    return { open, ...this.#counts };
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "", "http://x");
    const isPerson = url.pathname.startsWith("/people/");
    const page = isPerson ? undefined : this.#page(url);
    if (page?.offset === 0) this.#counts.first++;
    const body = isPerson ? personBody(url) : this.#body(url, page as NumberedPage);
    const { place, isLasting, atPerson } = this.order;
    const isHere = atPerson ? isPerson : page !== undefined && page.rows.length > 0 && isAt(page, place);
    const strikes =
      isHere && !this.#healed && (isLasting || this.#counts.strikes === 0) && this.#fault.act !== undefined;
    if (!strikes) {
      response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
      response.end(body);
      return;
    }
    this.#counts.strikes++;
    this.#fault.act?.({
      request,
      response,
      socket: request.socket,
      body,
      key: String(request.headers["x-api-key"]),
      elsewhere: this.elsewhere,
      goDown: () => {
        this.#server.close();
        for (const socket of this.#sockets) if (socket !== request.socket) socket.destroy();
      },
    });
  }

  #page({ pathname, searchParams }: URL): NumberedPage {
    const cursor = searchParams.get("cursor") ?? undefined;
    // A case may start at the regular cursor of any page.
    if (cursor !== undefined && !/^c\d+$/.test(cursor) && !this.#given.has(cursor)) this.#counts.strange++;
    const size = pathname === "/bills" ? PAGE_ROWS : Number(searchParams.get("limit") ?? 20);
    const page = pageAt(cursor, Number(searchParams.get("page") ?? 1), size);
    // The corpus has speeches but no debates.
    const isEmpty = searchParams.get("videotype") === "Debate";
    return isEmpty ? { ...page, offset: ROWS, rows: [] } : page;
  }

  #body({ pathname }: URL, page: NumberedPage): Buffer {
    const { rows, next } = (this.#healed ? undefined : this.#fault.page?.(page, this.order.place)) ?? page;
    if (typeof next === "string") this.#given.add(next);
    const row = pathname === "/bills" ? billRow : mentionRow;
    const member = rows.length === 0 ? {} : { [pathname.slice(1)]: rows.map(row) };
    return Buffer.from(JSON.stringify({ ...member, cursor: next }));
  }
}

function personBody({ pathname }: URL): Buffer {
  return Buffer.from(JSON.stringify({ people: [personRow(Number(pathname.slice(8)))] }));
}
