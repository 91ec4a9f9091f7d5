import { randomBytes } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { pl, toDataFrame } from "../../../src/index.js";
import { mainOf } from "../report/markdownHtml.js";
import { CHROMIUM, newPage } from "./chromium.js";
import { htmlOf } from "./frameParts.js";
import { PAYLOADS } from "./payloads.js";

const interactive = (frame: unknown, options: object = {}) => htmlOf(frame, { interactive: true, ...options });

/** The data of an interactive table, read by another library. */
function dataIn(html: string): { lines: string[]; ranks: number[][] } {
  const packed = /<script type="text\/plain">([A-Za-z0-9+/=]*)<\/script>/.exec(html)?.[1] ?? "";
  return JSON.parse(inflateRawSync(Buffer.from(packed, "base64")).toString());
}

/** 45 rows whose order by number is neither their order by text nor the given one. */
const ROWS = Array.from({ length: 45 }, (_, at) => ({
  n: at === 7 ? null : (at * 29) % 45,
  share: at / 7,
  name: `${at % 2 ? "Ada" : "Bea"} ${at}`,
  link: `https://archive.example/${at}`,
}));

describe("the HTML of an interactive table", () => {
  it("has at most 200 kB whatever the frame is, and shortens texts before it leaves out rows", () => {
    // Texts that no compression makes smaller.
    const column = () => Array.from({ length: 1100 }, () => randomBytes(400).toString("base64"));
    const frame = (width: number) =>
      pl.DataFrame(Object.fromEntries(Array.from({ length: width }, (_, n) => [`c${n}`, column()])));
    expect(dataIn(interactive(frame(1))).lines).toHaveLength(1000);
    for (const width of [1, 5, 30]) {
      const html = interactive(frame(width));
      expect(Buffer.byteLength(html)).toBeLessThanOrEqual(200_000);
      expect(dataIn(html).lines.length).toBeGreaterThan(0);
    }
  });

  it("sorts integers that are no numbers in JavaScript", () => {
    const big = pl.Series("n", ["9007199254740995", "9007199254740993", "9007199254740994"]).cast(pl.Int64);
    const [[last = 0, first = 0, second = 0] = []] = dataIn(interactive(pl.DataFrame([big]))).ranks;
    expect([first < second, second < last]).toEqual([true, true]);
  });

  it("is the static table in a report", () => {
    const html = interactive(toDataFrame(ROWS));
    const output = (shown: string) => ({
      output_type: "display_data" as const,
      data: { "text/html": shown, "text/plain": "text" },
    });
    const report = (shown: string) => mainOf({ cell_type: "code", source: "", outputs: [output(shown)] });
    expect(report(html)).toBe(report(htmlOf(toDataFrame(ROWS))));
    expect(report(html.replace("<script>", "<script>alert(1)//"))).not.toContain("alert");
    expect(report(html.replace("<script>", '<script src="x">'))).toMatch(/>text<.pre>$/);
  });

  it("has nothing that was typed into a hidden prompt", () => {
    const name = Symbol.for("archive-frames.host");
    const value = { redact: (text: string) => text.replaceAll("s3cret", "[redacted]") };
    Object.defineProperty(globalThis, name, { value, configurable: true });
    const html = interactive(pl.DataFrame({ a: ["my s3cret"] }));
    Reflect.deleteProperty(globalThis, name);
    expect(dataIn(html).lines).toEqual(["<tr><td>my [redacted]</td></tr>"]);
  });
});

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  async function open(html: string): Promise<Page> {
    const page = await newPage();
    await page.setContent(`<!DOCTYPE html><body>${html}</body>`);
    await page.locator("[role=status]").waitFor();
    return page;
  }
  const column = (page: Page, n: number) => page.locator(`tbody td:nth-child(${n})`).allInnerTexts();
  const status = (page: Page) => page.locator("[role=status]").innerText();

  it("pages, sorts by values with missing ones last, and searches", async () => {
    const page = await open(interactive(toDataFrame(ROWS)));
    const names = ROWS.map(({ name }) => name);
    expect(await status(page)).toBe("rows 1–20 of 45");
    expect(await column(page, 3)).toEqual(names.slice(0, 20));
    await page.getByLabel("Next page").click();
    await page.getByLabel("Next page").click();
    expect([await status(page), await column(page, 3)]).toEqual(["rows 41–45 of 45", names.slice(40)]);
    expect(await page.getByLabel("Next page").isDisabled()).toBe(true);

    const head = page.locator("th").first();
    const numbers = ROWS.flatMap(({ n }) => n ?? []).sort((a, b) => a - b);
    await head.click();
    expect(await status(page)).toBe("rows 1–20 of 45");
    expect(await column(page, 1)).toEqual(numbers.slice(0, 20).map(String));
    expect(await head.getAttribute("aria-sort")).toBe("ascending");
    await head.focus();
    await page.keyboard.press("Enter");
    expect(await column(page, 1)).toEqual(numbers.slice(-20).reverse().map(String));
    await page.getByLabel("Next page").click();
    await page.getByLabel("Next page").click();
    expect((await column(page, 1)).at(-1)).toBe("null");
    await head.click();
    expect(await head.getAttribute("aria-sort")).toBeNull();
    expect(await column(page, 3)).toEqual(names.slice(0, 20));

    await page.getByLabel("Search the rows").fill("ADA 1");
    const found = names.filter((name) => name.startsWith("Ada 1"));
    expect(await column(page, 3)).toEqual(found);
    expect(await status(page)).toBe(`rows 1–${found.length} of ${found.length} that match`);
  });

  it("never runs text of the archive", async () => {
    const page = await open(interactive(pl.DataFrame({ [PAYLOADS[0] as string]: PAYLOADS }), { width: 2000 }));
    await page.locator("th").click();
    for (const payload of PAYLOADS.slice(0, 5)) await page.getByLabel("Search the rows").fill(payload);
    const tags = await page.locator(".archive-frames *").evaluateAll((all) => all.map((each) => each.localName));
    const ours = new Set("b br button div input script small span style table tbody td th thead tr".split(" "));
    expect(tags.filter((tag) => !ours.has(tag))).toEqual([]);
    expect(await page.evaluate("'hacked' in window")).toBe(false);
  });
});
