import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Fault } from "./faults/fault.js";
import { cursorOf, type NumberedPage, PAGE_ROWS, type Place, pageAt, rowOf } from "./numberedRows.js";

/** A fault, and where it strikes. */
export interface FaultOrder {
  readonly fault: Fault;
  readonly place: Place;
  /** Strikes every time, not only once. */
  readonly isLasting: boolean;
  /** Strikes lookups of a person instead of searches. */
  readonly atPerson?: boolean;
  /** The origin that no client may contact. */
  readonly elsewhere: string;
}

/** A service of numbered rows with a fault, on a port of its own: all its connections belong to one case. */
export class FaultyService {
  readonly #sockets = new Set<Socket>();
  readonly #sentCursors = new Set<string>();
  // Clients send a 1 MB cursor back.
  readonly #server = createServer({ maxHeaderSize: 8 * 2 ** 20 }, (request, response) =>
    this.#answer(request, response),
  );
  #port = 0;
  #isHealed = false;
  /** Bytes of closed connections, responses with the fault, requests for the first page, requests with a cursor that the service never sent. */
  readonly counts = { bytes: 0, strikes: 0, first: 0, strange: 0 };

  constructor(readonly order: FaultOrder) {
    this.#server.keepAliveTimeout = 0;
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => {
        this.counts.bytes += socket.bytesWritten;
        this.#sockets.delete(socket);
      });
    });
  }

  async listen(): Promise<string> {
    await once(this.#server.listen(this.#port, "127.0.0.1"), "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Removes the fault. */
  async heal(): Promise<void> {
    this.#isHealed = true;
    if (!this.#server.listening) await this.listen();
  }

  /** Waits up to a minute for the client to close its connections, because a busy machine may take its time; gives the number of open ones. */
  async end(): Promise<number> {
    const closed = Promise.all(
      [...this.#sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve))),
    );
    await Promise.race([closed, delay(60_000, undefined, { ref: false })]);
    const open = this.#sockets.size;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    return open;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "", "http://x");
    const { fault, place, isLasting, atPerson = false, elsewhere } = this.order;
    const person = /^\/people\/(\d+)/.exec(url.pathname)?.[1];
    const page = person === undefined ? this.#pageOf(url) : undefined;
    if (page?.offset === 0) this.counts.first++;
    const body = JSON.stringify(
      page === undefined ? { people: [rowOf("people", Number(person))] } : this.#bodyOf(url, page),
    );
    const isHere = page === undefined ? atPerson : !atPerson && page.rows.length > 0 && page.sent === cursorOf(place);
    const strikes = isHere && !this.#isHealed && (isLasting || this.counts.strikes === 0);
    if (!strikes || fault.act === undefined) {
      response.setHeader("content-type", "application/json").end(body);
      return;
    }
    this.counts.strikes++;
    fault.act({
      request,
      response,
      body: Buffer.from(body),
      key: String(request.headers["x-api-key"]),
      elsewhere,
      goDown: () => {
        this.#server.close();
        for (const socket of this.#sockets) if (socket !== request.socket) socket.destroy();
      },
    });
  }

  #pageOf({ pathname, searchParams }: URL): NumberedPage {
    const cursor = searchParams.get("cursor") ?? undefined;
    // A case may start at the regular cursor of any page.
    if (cursor !== undefined && !/^c\d+$/.test(cursor) && !this.#sentCursors.has(cursor)) this.counts.strange++;
    const size = pathname === "/bills" ? PAGE_ROWS : Number(searchParams.get("limit") ?? 20);
    const page = pageAt(cursor, Number(searchParams.get("page") ?? 1), size);
    // There are speeches but no debates.
    return searchParams.get("videotype") === "Debate" ? { ...page, rows: [] } : page;
  }

  #bodyOf({ pathname }: URL, regular: NumberedPage): object {
    const { page: change } = this.order.fault;
    const { rows, next } = change === undefined || this.#isHealed ? regular : change(regular, this.order.place);
    if (typeof next === "string") this.#sentCursors.add(next);
    const operation = pathname.slice(1);
    return { ...(rows.length > 0 && { [operation]: rows.map((n) => rowOf(operation, n)) }), cursor: next };
  }
}
