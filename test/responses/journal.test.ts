import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Journal } from "../../src/responses/journal.js";
import type { ServiceResponse } from "../../src/service/http/requester.js";
import { temporaryFolder } from "../files/temporary.js";

const root = temporaryFolder();
let files = 0;
const fresh = () => join(root, `journal-${files++}`);

const response = (body: string | Buffer): ServiceResponse => ({
  status: 200,
  body: Buffer.from(body),
  headers: { "x-api-key": "secret" },
  requests: 2,
  retries: 1,
  sentAt: new Date("2024-01-01T00:00:00Z"),
  receivedAt: new Date("2024-01-01T00:00:01Z"),
});

const SEARCH = { operation: "mentions", query: "climate" };
const ask = (page: number): [string, Array<[string, string]>] => ["/mentions", [["page", String(page)]]];

function filled(path: string, pages: number): void {
  const journal = new Journal(path, SEARCH, undefined);
  for (let page = 0; page < pages; page++) journal.add(...ask(page), response(`body ${page}\n`));
  journal.close();
}

function found(path: string, pages: number, resume?: boolean): Array<string | undefined> {
  const journal = new Journal(path, SEARCH, resume);
  const bodies = [...Array(pages).keys()].map((page) => journal.find(...ask(page))?.body.toString());
  journal.close();
  return bodies;
}

describe("a journal", () => {
  it("returns what was added", () => {
    const path = fresh();
    filled(path, 3);
    expect(found(path, 4)).toEqual(["body 0\n", "body 1\n", "body 2\n", undefined]);
    const { headers, ...known } = new Journal(path, SEARCH, true).find(...ask(0)) as ServiceResponse;
    const { headers: _headers, ...sent } = response("body 0\n");
    expect(known).toEqual(sent);
    expect(headers).toEqual({});
    expect(readFileSync(path, "utf8")).not.toContain("secret");
  });

  it("stores any body for any request", () => {
    const path = fresh();
    const pages = fc.array(fc.tuple(fc.string(), fc.array(fc.tuple(fc.string(), fc.string())), fc.uint8Array()), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(pages, (answers) => {
        const journal = new Journal(path, SEARCH, false);
        for (const [where, query, body] of answers) journal.add(`/${where}`, query, response(Buffer.from(body)));
        journal.close();
        const again = new Journal(path, SEARCH, true);
        for (const [where, query] of answers) {
          const last = answers.findLast((one) => JSON.stringify(one.slice(0, 2)) === JSON.stringify([where, query]));
          expect(again.find(`/${where}`, query)?.body).toEqual(Buffer.from(last?.[2] as Uint8Array));
        }
        again.close();
      }),
      { numRuns: 50 },
    );
  });

  it("cuts off a truncated response, wherever it was truncated", () => {
    const path = fresh();
    filled(path, 3);
    const whole = readFileSync(path);
    const ends = [0, 1, 2].map((page) => whole.indexOf(`body ${page}\n`) + `body ${page}\n`.length);
    for (let size = 0; size <= whole.length; size += 3) {
      writeFileSync(path, whole.subarray(0, size));
      const safe = ends.filter((end) => end <= size).length;
      expect(found(path, 3), `cut at ${size}`).toEqual(
        [0, 1, 2].map((page) => (page < safe ? `body ${page}\n` : undefined)),
      );
      // It continues normally.
      const journal = new Journal(path, SEARCH, true);
      for (let page = safe; page < 3; page++) journal.add(...ask(page), response(`body ${page}\n`));
      journal.close();
      expect(statSync(path).size).toBe(whole.length);
    }
  });

  it("ignores a body that has changed on disk", () => {
    const path = fresh();
    filled(path, 2);
    const bytes = readFileSync(path);
    bytes[bytes.indexOf("body 0")] = 0x42;
    writeFileSync(path, bytes);
    expect(found(path, 2)).toEqual([undefined, "body 1\n"]);
  });

  it("does not resume responses from the future", () => {
    const later = new Date(Date.now() + 3_600_000);
    for (const which of ["sentAt", "receivedAt"]) {
      const path = fresh();
      const journal = new Journal(path, SEARCH, undefined);
      journal.add(...ask(0), response("body 0\n"));
      journal.add(...ask(1), { ...response("body 1\n"), [which]: later });
      journal.add(...ask(2), response("body 2\n"));
      journal.close();
      expect(found(path, 3, true)).toEqual(["body 0\n", undefined, undefined]);
    }
    const path = fresh();
    filled(path, 1);
    utimesSync(path, later, later);
    expect(found(path, 1)).toEqual([undefined]);
  });

  it("resumes by default if it is less than a day old", () => {
    const path = fresh();
    filled(path, 1);
    const yesterday = Date.now() / 1000 - 25 * 3600;
    utimesSync(path, yesterday, yesterday);
    expect(found(path, 1, true)).toEqual(["body 0\n"]);
    utimesSync(path, yesterday, yesterday);
    expect(found(path, 1)).toEqual([undefined]);
  });

  it("ignores responses after it is closed", () => {
    const path = fresh();
    filled(path, 1);
    const journal = new Journal(path, SEARCH, true);
    journal.close();
    journal.close();
    journal.add(...ask(1), response("late"));
    expect(journal.find(...ask(0))).toBeUndefined();
    expect(found(path, 2)).toEqual(["body 0\n", undefined]);
  });
});
