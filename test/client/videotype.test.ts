import { expect, it, vi } from "vitest";
import { provenanceOf } from "../../src/index.js";
import { caption } from "../../src/notebook/display/caption.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { clientTo, mention } from "./clientTo.js";

const REMARK = 'The video type "Speach" is unusual. Did you mean "Speech"?';

it("warns about an unusual video type that finds nothing, without failing", async () => {
  const warn = vi.spyOn(process, "emitWarning").mockClear().mockReturnValue();
  await using server = await startScriptedServer(({ url }) => ({
    body: url.includes("videotype=Panel") ? { mentions: [mention(1)] } : { cursor: "VQAA" },
  }));
  await using archive = clientTo(server);
  const frame = await archive.mentions("x", { videotype: "Speach" });
  expect(frame.height).toBe(0);
  expect(provenanceOf(frame)).toMatchObject({ remark: REMARK });
  expect(caption(provenanceOf(frame) as never)).toContain(REMARK);
  expect(warn).toHaveBeenCalledWith(`Nothing was found. ${REMARK}`, {
    type: "ArchiveFramesWarning",
    code: "UNUSUAL_VIDEOTYPE",
  });
  warn.mockClear();
  for (const videotype of ["Speech", "debate", "Panel"]) {
    expect(provenanceOf(await archive.mentions("x", { videotype }))).not.toHaveProperty("remark");
  }
  expect(provenanceOf(await archive.mentions("x"))).not.toHaveProperty("remark");
  expect(warn).not.toHaveBeenCalled();
  expect(provenanceOf(await archive.mentions("x", { videotype: "Zzzzzzzzzzzz" }))?.remark).toContain(
    "Known types are Speech",
  );
});
