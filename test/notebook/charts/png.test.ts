import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { toDataFrame } from "../../../src/index.js";
import { pngOf } from "../../../src/notebook/charts/drawChart.js";
import { chart } from "../../../src/notebook.js";
import { temporaryFolder } from "../../files/temporary.js";

const work = temporaryFolder();
const made = await chart(toDataFrame([{ n: 1 }, { n: 3 }]), { title: "A <title>", mark: "bar", x: "n" });

it("a saved PNG has twice the size of the SVG, and its text is drawn", async () => {
  const path = join(work, "chart.png");
  expect(await made.save(path)).toBe(path);
  const png = readFileSync(path);
  expect(png.subarray(0, 8)).toEqual(Buffer.from("89504e470d0a1a0a", "hex"));
  const size = /width="(\d+)" height="(\d+)"/.exec(made.svg)?.slice(1).map(Number);
  expect([png.readUInt32BE(16) / 2, png.readUInt32BE(20) / 2]).toEqual(size);
  expect(png.equals(await pngOf(made.svg.replace(/>A [^<]*</, ">Other words<")))).toBe(false);
});

it("a chart is saved as a picture and as a page of its own, and nothing else", async () => {
  expect(readFileSync(await made.save(join(work, "x.svg")), "utf8")).toBe(made.svg);
  const page = readFileSync(await made.save(join(work, "x.html")), "utf8");
  expect(page).toMatch(
    /^<!doctype html>.*<title>A &lt;title&gt; · bar · 2 rows<\/title>\n<svg .*<\/svg>\n<\/html>\n$/s,
  );
  await expect(made.save(join(work, "x.gif"))).rejects.toThrow("ends with .svg, .png or .html");
});

it("a missing library says what to install", async () => {
  await expect(pngOf("<svg/>", () => Promise.reject(new Error("Cannot find package")))).rejects.toMatchObject({
    code: "CHARTS_MISSING",
    message: expect.stringContaining("npm install @resvg/resvg-js@2"),
  });
});
