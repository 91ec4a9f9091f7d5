import { describe, expect, it } from "vitest";
import type { Provenance } from "../../../src/index.js";
import { caption } from "../../../src/notebook/display/caption.js";
import { provenance } from "./provenance.js";

describe("the caption of a cached result", () => {
  const cached = { cached: 1, firstResponseAt: "2026-11-21T06:00:00Z" } as Partial<Provenance>;
  it.each([
    [10, "just now"],
    [90, "1 minute ago"],
    [3 * 3600 + 59 * 60, "3 hours ago"],
    [49 * 3600, "2 days ago"],
  ])("after %d seconds says %s", (seconds, text) => {
    const now = Date.parse("2026-11-21T06:00:00Z") + seconds * 1000;
    expect(caption(provenance(cached), now)).toContain(`from ${text}, cached`);
    expect(caption(provenance(), now)).not.toContain("cached");
  });
});
