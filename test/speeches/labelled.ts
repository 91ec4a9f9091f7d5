import { expect } from "vitest";
import { provenanceOf } from "../../src/index.js";
import labelled from "./labelled.json" with { type: "json" };
import { speech, speechArchive } from "./speechServer.js";

/**
 * Passages labelled by hand: is this text about this bill? They are written as captions are, after real bills and real habits of
 * speech, and without looking at what the package says about them. None of them comes from the generator of the embedded archive.
 */
export interface LabelledBill {
  /** As a caller gives it, or a row of GET /bills. */
  readonly bill:
    | { readonly title?: string; readonly number?: string; readonly congress: number }
    | { readonly billtitle: string; readonly billnumber: string; readonly link: string; readonly congress: number };
  /** Passages that name the bill. */
  readonly about: readonly string[];
  /** Passages that a search for the bill may bring, and that do not name it. */
  readonly notAbout: readonly string[];
}

/** `first`: the judge was developed on it. `more`: longer, written after that. `edge`: odd spellings, neighbours and traps. */
export const LABELLED: Readonly<Record<"first" | "more" | "edge", readonly LabelledBill[]>> = labelled;

/** The passages that count as speeches on a bill if every search finds all of them. */
export async function keptOf({ bill, about, notAbout }: LabelledBill): Promise<string[]> {
  const begintime = `${1790 + (bill.congress - 1) * 2}-03-01T15:00:00Z`;
  const rows = [...about, ...notAbout].map((text, at) => speech(at + 1, at + 1, { text, begintime }));
  const { archive } = await speechArchive({ found: () => rows });
  const frame = await archive.speechesOnBill(bill as { title: string }, { chamber: "any", videotypes: ["Speech"] });
  const { rejected = [] } = provenanceOf(frame)?.speeches ?? {};
  expect(frame.height + rejected.reduce((sum, { speeches }) => sum + speeches, 0)).toBe(rows.length);
  return frame.getColumn("text").toArray() as string[];
}
