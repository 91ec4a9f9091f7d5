import { describe, expect, it } from "vitest";
import { keptOf, LABELLED } from "./labelled.js";

/** Labelled passages that the judge decides otherwise than the person who labelled them. */
const KNOWN_MISTAKES = new Set([
  "THE SERGEANT FIRST CLASS HEATH ROBINSON HONORING OUR PACT ACT PASSES TODAY.",
  // Votes and seats follow "Senate" more often than bills do.
  "SENATE 393 IS STUCK IN COMMITTEE.",
]);

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
