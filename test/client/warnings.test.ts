import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { LONG } from "../scale.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { mention } from "./clientTo.js";

const run = promisify(execFile);

it.each(LONG ? [1, 16, 64] : [64])(
  "no call triggers Node's listener-leak warning with %i concurrent requests",
  async (concurrency) => {
    await using server = await startPagedServer({
      rows: 1500,
      row: (id) => mention(id, { personid: id % 100, title: undefined }),
      instead: (_offset, _index, request) => {
        const [, id] = /^\/people\/(\d+)/.exec(request.url) ?? [];
        if (id !== undefined) return { body: { people: [{ id: Number(id), title: "U.S. Senator" }] } };
        return request.url.startsWith("/people") ? { body: { cursor: "c" } } : undefined;
      },
    });
    const { stdout } = await run(process.execPath, [
      "test/client/warningsOnce.mjs",
      server.baseUrl,
      String(concurrency),
    ]);
    expect(JSON.parse(stdout)).toEqual([]);
  },
);
