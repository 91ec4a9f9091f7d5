import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pl } from "../../../src/index.js";
import { displayBundle } from "../../../src/notebook/display/displayBundle.js";
import { progressBundle, summaryBundle } from "../../../src/notebook/display/progressDisplay.js";
import type { DisplayOptions } from "../../../src/notebook/index.js";

import { runs } from "../../scale.js";
import { progressEvent } from "../../scan/progressEvent.js";
import { htmlOf } from "./frameParts.js";
import { hostileText, PAYLOADS } from "./payloads.js";
import { provenance, setProvenance } from "./provenance.js";
import { strictTags } from "./strictTags.js";

/** A frame with hostile text in every place for untrusted text: column names, values, and the caption. */
function hostileHtml(text: string, options: DisplayOptions = {}): string {
  const frame = pl.DataFrame([pl.Series(text, [text, null]), pl.Series("list", [[text], []])]);
  setProvenance(frame, provenance({ operation: text, reason: text, verdict: "stopped", source: text, baseUrl: text }));
  return htmlOf(frame, options);
}

const OURS = (
  "div class¦style¦div class¦b¦div class tabindex¦table¦thead¦tr¦th¦br¦small class¦th¦br¦small class¦tbody¦" +
  "tr¦td¦td¦tr¦td¦i class¦td¦div class¦small"
).split("¦");
const bare = (tags: readonly string[]) => tags.map((tag) => tag.replace(" title", ""));
const event = (operation: string) => progressEvent({ operation, reason: operation, maxItems: 9, waiting: 1 });

describe("hostile text", () => {
  it("creates no tags but ours", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(bare(strictTags(hostileHtml(text)))).toEqual(OURS);
        expect(bare(strictTags(hostileHtml(text, { wrap: true }))).map((tag) => tag.replace("td class", "td"))).toEqual(
          OURS,
        );
        for (const bundleOf of [progressBundle, summaryBundle])
          for (const tag of strictTags(String(bundleOf(event(text))["text/html"])))
            expect(tag).toMatch(/^(?:div(?: (?:class|style))*|progress aria-label max value style)$/);
      }),
      { numRuns: runs(100) },
    );
  });

  it("becomes a link only as a plain http or https address", () => {
    const links = (texts: string[]) => [...htmlOf(pl.DataFrame({ texts })).matchAll(/<a [^>]*>/g)].map(([tag]) => tag);
    expect(links(["https://archive.example/video/?c=1&d=2", "HTTP://archive.example"])).toEqual([
      '<a href="https://archive.example/video/?c=1&amp;d=2" target="_blank" rel="noopener noreferrer">',
      '<a href="HTTP://archive.example" target="_blank" rel="noopener noreferrer">',
    ]);
    const refused = "javascript:alert(1)¦data:text/html,x¦ https://a.example¦https://a.example b¦//a.example".split(
      "¦",
    );
    const broken = ['"onclick="x', "<b>", "\nx"].map((end) => `https://a.example/${end}`);
    expect(links([...refused, ...broken, "https://a\u202e.example", ...PAYLOADS])).toEqual([]);
    expect(htmlOf(pl.DataFrame({ a: ["https://a.example"] }), { links: false })).not.toContain("<a ");
  });

  it("cannot control a terminal in the text format", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const frame = pl.DataFrame([pl.Series(text, [text])]);
        const plain = String(displayBundle(setProvenance(frame, provenance({ operation: text })))?.["text/plain"]);
        expect(plain.split("\n")).toHaveLength(5);
        expect(plain.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
      }),
      { numRuns: 50 },
    );
  });
});
