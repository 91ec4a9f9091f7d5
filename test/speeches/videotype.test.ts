import { afterEach, expect, it, vi } from "vitest";
import { provenanceOf } from "../../src/index.js";
import { displayBundle } from "../../src/notebook/index.js";
import { clientTo } from "../client/clientTo.js";
import { senator, speech, startSpeechServer } from "./speechServer.js";

const REMARK = 'The video type "Speach" is unusual. Did you mean "Speech"?';
const BILL = { title: "Tax Act", number: "S. 9" };

afterEach(() => vi.restoreAllMocks());

/** Speeches by query, in the types "Speech" and "Panel". */
function archiveOf(found: (query: string) => object[] = () => [speech(1, 7)]) {
  return startSpeechServer({
    found: (query, type) => (type === "Speech" || type === "Panel" ? found(query) : []),
    people: { 7: senator(7), 8: { id: 8, name: "Host 8", title: "Host" } },
  });
}

it("provenance, caption and a warning name an unusual video type that finds nothing", async () => {
  const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
  await using server = await archiveOf();
  await using archive = clientTo(server);
  const frame = await archive.speechesOnBill({ ...BILL, videotypes: ["Speach"] });
  expect(frame.height).toBe(0);
  expect(provenanceOf(frame)?.remark).toBe(REMARK);
  expect(displayBundle(frame)?.["text/plain"]).toContain(REMARK);
  const type = { type: "ArchiveFramesWarning", code: "UNUSUAL_VIDEOTYPE" };
  expect(warn.mock.calls).toEqual([[`Nothing was found. ${REMARK}`, type]]);
});

it("they name each of several, even if other types find something", async () => {
  const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
  await using server = await archiveOf();
  await using archive = clientTo(server);
  const frame = await archive.speechesOnBill({ ...BILL, videotypes: ["Speech", "Speach", "Debatte"] });
  expect(frame.height).toBe(1);
  const both = `${REMARK} The video type "Debatte" is unusual. Did you mean "Debate"?`;
  expect(provenanceOf(frame)?.remark).toBe(both);
  expect(warn.mock.calls.map(([text]) => text)).toEqual([`Some searches found nothing. ${both}`]);
});

it.each([
  ["known types that find nothing", ["Debate", "hearing"], undefined],
  ["an unusual type that finds something", ["Panel"], undefined],
  [
    "an unusual type of which one query finds something",
    ["Panel"],
    (query: string) => (query === '"S 9"' ? [speech(1, 7)] : []),
  ],
  ["an unusual type in which nobody of the chamber speaks", ["Panel"], () => [speech(1, 8)]],
] as const)("no remark about %s", async (_name, videotypes, found) => {
  const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
  await using server = await archiveOf(found as never);
  await using archive = clientTo(server);
  const frame = await archive.speechesOnBill({ ...BILL, videotypes: [...videotypes] });
  expect(provenanceOf(frame)).not.toHaveProperty("remark");
  expect(warn).not.toHaveBeenCalled();
});

it("no remark without a request", async () => {
  await using server = await archiveOf();
  await using archive = clientTo(server);
  const frame = await archive.speechesOnBill({ ...BILL, videotypes: ["Speach"], maxItems: 0 });
  expect(provenanceOf(frame)).not.toHaveProperty("remark");
});
