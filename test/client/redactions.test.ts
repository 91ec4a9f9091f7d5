import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { provenanceOf } from "../../src/index.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { clientTo, served } from "./clientTo.js";

const rows = [
  { id: 1, billtitle: "An education bill, on education", link: "" },
  { id: 2, billtitle: "Roads", link: "/?k=education" },
];

it("redactions of a key that is an ordinary word are counted in the provenance, with one warning", async () => {
  const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
  let seen = 0;
  const { archive } = await served(() => ({ body: { bills: seen++ % 2 === 0 ? rows : [{ id: 3 }] } }), {
    apiKey: "education",
  });
  const frame = await archive.bills("roads");
  expect(frame.getColumn("billtitle").toArray()).toEqual(["An [redacted] bill, on [redacted]", "Roads"]);
  expect(provenanceOf(frame)).toMatchObject({ redactions: 3 });
  expect(provenanceOf(await archive.bills("roads"))).toMatchObject({ redactions: 0 });
  expect(provenanceOf(await archive.bills("roads"))).toMatchObject({ redactions: 3 });
  expect(warn).toHaveBeenCalledOnce();
  const [message, options] = warn.mock.calls[0] as unknown as [string, object];
  expect(options).toEqual({ type: "ArchiveFramesWarning", code: "KEY_REDACTED" });
  expect(message).not.toContain("education");
});

it("a replay reports the redactions of the recording", async () => {
  vi.spyOn(process, "emitWarning").mockReturnValue();
  const dir = join(mkdtempSync(join(tmpdir(), "archive-frames-test-")), "study");
  await using server = await startScriptedServer(() => ({ body: { bills: rows } }));
  {
    await using archive = clientTo(server, { apiKey: "education", snapshot: { dir, mode: "record" } });
    expect(provenanceOf(await archive.bills("roads"))).toMatchObject({ redactions: 3 });
  }
  await using replay = clientTo(server, { apiKey: "education", snapshot: { dir, mode: "replay" } });
  expect(provenanceOf(await replay.bills("roads"))).toMatchObject({ redactions: 3, requests: 1 });
});
