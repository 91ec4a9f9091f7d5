import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pl } from "../../../src/index.js";
import type { DisplayOptions } from "../../../src/notebook.js";
import { runs } from "../../scale.js";
import { progressEvent } from "../../scan/progressEvent.js";
import { displayBundle, progressBundle, summaryBundle } from "../bundles.js";
import { htmlOf } from "./frameParts.js";
import { hostileText, PAYLOADS } from "./payloads.js";
import { provenance, setProvenance } from "./provenance.js";

/** A frame with hostile text in every place for untrusted text: column names, values, and the caption. */
function hostileHtml(text: string, options: DisplayOptions = {}): string {
  const frame = pl.DataFrame([pl.Series(text, [text, null]), pl.Series("list", [[text], []])]);
  setProvenance(frame, provenance({ operation: text, reason: text, verdict: "stopped", source: text, baseUrl: text }));
  return htmlOf(frame, options);
}

/** The characters of markup in HTML. Titles depend on the length of a text. */
const markup = (html: unknown) =>
  String(html)
    .replace(/ title="[^"<>]*"/g, "")
    .replace(/[^<>"]/g, "");
const bars = (operation: string) =>
  [progressBundle, summaryBundle].map((bundleOf) =>
    markup(bundleOf(progressEvent({ operation, reason: operation, maxItems: 9, waiting: 1 }))["text/html"]),
  );

describe("hostile text", () => {
  it("has no more markup than harmless text", () => {
    fc.assert(
      fc.property(hostileText, fc.boolean(), (text, wrap) => {
        expect(markup(hostileHtml(text, { wrap }))).toBe(markup(hostileHtml("x", { wrap })));
        expect(bars(text)).toEqual(bars("x"));
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
