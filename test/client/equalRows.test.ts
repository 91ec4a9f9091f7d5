import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";
import { type ScriptedAnswer, startScriptedServer } from "../service/scriptedServer.js";
import { queryOf, served } from "./clientTo.js";
import { WAYS } from "./ways.js";

/** Starts a server that sends these bodies in order, and then pages without rows. */
const startPages = (pages: readonly (readonly (object | string)[])[]) =>
  startScriptedServer((request): ScriptedAnswer => {
    const at = Number(queryOf(request).cursor ?? 0);
    const rows = pages[at]?.map((row) => (typeof row === "string" ? row : JSON.stringify(row)));
    return {
      body: rows === undefined ? `{"cursor":"${at}"}` : `{"cursor":"${at + 1}","mentions":[${rows.join(",")}]}`,
    };
  });

describe.each(Object.entries(WAYS))("rows with the same id may differ: %s", (_name, way) => {
  it("rows with the same id and different contents are kept and counted, within a page and across pages", async () => {
    const { archive } = await served(
      startPages([
        [
          { id: "1", text: "a" },
          { id: "1", text: "b" },
          { id: "2", text: "c" },
        ],
        [
          { id: "1", text: "b" },
          { id: "2", text: "d" },
          { id: "1", text: "a" },
          { id: 2, text: "c" },
        ],
      ]),
    );
    const { rows, provenance } = await way(archive, temporaryFolder());
    expect(rows.map(({ text }) => text)).toEqual(["a", "b", "c", "d", "c"]);
    expect(provenance).toMatchObject({ rows: 5, duplicates: 2, conflicts: 3, verdict: "complete" });
  });

  it("equal rows are dropped, however their values are spelled", async () => {
    const { archive } = await served(
      startPages([
        ['{"id":"1","score":1,"more":{"x":[0,-25e-1,100]},"text":"é a/"}', '{"id":2,"text":"b"}'],
        [
          '{"id":"1","sc\\u006fre":1.0,"more":{"\\u0078":[-0.0,-2.50,1e2]},"text":"\\u00e9 \\u0061\\/"}',
          '{"id":2.0,"text":"b"}',
          '{"id":2.01,"text":"b"}',
        ],
      ]),
    );
    const { rows, provenance } = await way(archive, temporaryFolder());
    expect(rows.map(({ text }) => text)).toEqual(["é a/", "b", "b"]);
    expect(provenance).toMatchObject({ rows: 3, duplicates: 2, conflicts: 0, verdict: "complete" });
  });

  it("equal rows are dropped, whatever the order of their members", async () => {
    const { archive } = await served(
      startPages([
        [
          { id: "1", text: "a", length: 3, extra: { x: 1, y: [2, { z: 3, w: 4 }] } },
          { id: "2", text: "b" },
        ],
        ['{"text":"a","extra":{"y": [2,{"w":4,"z":3}],"x":1}, "length":3,"id":"1"}', '{ "text" : "b" , "id" : "2" }'],
        [
          { text: "c", length: 3 },
          { length: 3, text: "c" },
        ],
      ]),
    );
    const { rows, provenance } = await way(archive, temporaryFolder());
    expect(rows.map(({ text }) => text)).toEqual(["a", "b", "c"]);
    expect(provenance).toMatchObject({ rows: 3, duplicates: 3, conflicts: 0, verdict: "complete" });
  });
});

it("a single page follows the same rule, and format json returns its body unchanged", async () => {
  const rows = [
    { id: "1", text: "a" },
    { id: "1", text: "b" },
    { text: "a", id: "1" },
  ];
  const { archive } = await served(startPages([rows]));
  const frame = await archive.mentions("x");
  expect(frame.getColumn("text").toArray()).toEqual(["a", "b"]);
  expect(provenanceOf(frame)).toMatchObject({ rows: 2, duplicates: 1, conflicts: 1 });
  expect(await archive.mentions("x", { format: "records" })).toEqual(rows.slice(0, 2));
  expect(await archive.mentions("x", { format: "json" })).toEqual({ cursor: "1", mentions: rows });
});
