import { describe, expect, it } from "vitest";
import { toDataFrame } from "../../../src/index.js";
import { chart } from "../../../src/notebook/index.js";
import { CHROMIUM, newPage } from "./chromium.js";
import { htmlOf } from "./frameParts.js";

const WIDE = toDataFrame(
  Array.from({ length: 3 }, (_, at) =>
    Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`column${n}`, `${at}${n}`.repeat(9)])),
  ),
);

/** What a page says about its width, its charts, and its scrolling tables. */
const MEASURE = `({
  page: [document.documentElement.scrollWidth, innerWidth],
  charts: [...document.querySelectorAll("svg")].map((svg) => svg.getBoundingClientRect().right),
  scrolls: [...document.querySelectorAll(".af-scroll")].map((box) => [box.clientWidth < box.scrollWidth, getComputedStyle(box).maskImage]),
})`;

describe.skipIf(CHROMIUM === undefined)("in a window of 640 pixels", () => {
  /** A page with a notebook's output area. */
  async function pageOf(html: string) {
    const page = await newPage({ viewport: { width: 640, height: 600 } });
    await page.setContent(`<body style="margin:0">${html}</body>`);
    return page;
  }

  /** Measures a page; `script` runs first. */
  async function measured(html: string, script = "0") {
    const page = await pageOf(html);
    await page.evaluate(script);
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    return (await page.evaluate(MEASURE)) as Record<"page" | "charts", number[]> & {
      scrolls: Array<[boolean, string]>;
    };
  }

  it("a wide chart shrinks to fit", async () => {
    const spec = { mark: "bar", width: 900, encoding: { x: { field: "column0" }, y: { field: "column1" } } };
    const { svg } = await chart(WIDE, spec);
    const { page, charts } = await measured(svg);
    expect(page).toEqual([640, 640]);
    expect(charts).toEqual([640]);
  });

  it("a wide table scrolls, and fades out where it continues until it is scrolled to its end", async () => {
    const wide = htmlOf(WIDE);
    const { page, scrolls } = await measured(wide);
    expect(page).toEqual([640, 640]);
    expect(scrolls).toEqual([[true, expect.stringContaining("linear-gradient")]]);
    const end = await measured(wide, 'document.querySelector(".af-scroll").scrollLeft = 1e6');
    expect(end.scrolls).toEqual([[true, "none"]]);
    const narrow = await measured(htmlOf(WIDE.select("column0")));
    expect(narrow.scrolls).toEqual([[false, "none"]]);
  });

  it("a table without its style sheet scrolls instead of squeezing its text", async () => {
    const words = Array.from({ length: 30 }, (_, at) => `word${at}`).join(" ");
    const texts = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`text${n}`, words]));
    const html = htmlOf(toDataFrame([{ id: 1, ...texts, day: "2024-05-01 12:30:00" }]));
    const rowHeight = async (shown: string) => {
      const page = await pageOf(`<div style="overflow:auto">${shown}</div>`);
      return Number(await page.evaluate('document.querySelector("tbody tr").getBoundingClientRect().height'));
    };
    const unstyled = html.replace(/<style>[^<]*<\/style>/, "");
    const lines = (await rowHeight(unstyled)) / (await rowHeight("<table><tbody><tr><td>a</td></tr></tbody></table>"));
    expect(lines).toBeLessThan(3);
    const squeezed = await rowHeight(unstyled.replace(/ width="\d+"/g, ""));
    expect(squeezed / (await rowHeight(unstyled))).toBeGreaterThan(1.5);
    // With the style sheet, the widths change nothing.
    expect(await rowHeight(html)).toBe(await rowHeight(html.replace(/ width="\d+"/g, "")));
  });

  it("a table without its style sheet separates names from dtypes", async () => {
    const bare = htmlOf(WIDE).replace(/<style>[^<]*<\/style>/, "");
    const page = await pageOf(bare);
    expect(await page.evaluate('document.querySelector("th").innerText')).toBe("column0\nstr");
  });
});
