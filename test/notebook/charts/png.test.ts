import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { toDataFrame } from "../../../src/index.js";
import { pngOf } from "../../../src/notebook/charts/png.js";
import { chart } from "../../../src/notebook/index.js";
import { temporaryFolder } from "../../files/temporary.js";

const work = temporaryFolder();
const frame = toDataFrame([{ n: 1 }, { n: 3 }]);
const bars = (title: string) =>
  chart(frame, { title, mark: "bar", encoding: { x: { field: "n", type: "quantitative" } } });

/** Reads a PNG without any library: its size, and its compressed rows unpacked. */
function readPng(png: Buffer): { width: number; height: number; rows: Buffer } {
  expect(png.subarray(0, 8)).toEqual(Buffer.from("89504e470d0a1a0a", "hex"));
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20), rows: inflateSync(Buffer.concat(data)) };
}

const sizeOf = (svg: string) => /width="(\d+)" height="(\d+)"/.exec(svg)?.slice(1).map(Number);

it("a saved PNG has twice the size of the SVG, and its text is drawn", async () => {
  const path = join(work, "chart.png");
  const made = await bars("One title");
  expect(await made.save(path)).toBe(path);
  const one = readPng(readFileSync(path));
  expect([one.width / 2, one.height / 2]).toEqual(sizeOf(made.svg));
  expect(new Set(one.rows).size).toBeGreaterThan(20);
  await (await bars("Two words")).save(path);
  const other = readPng(readFileSync(path));
  // Only the title differs.
  expect([other.width, other.height]).toEqual([one.width, one.height]);
  expect(other.rows.equals(one.rows)).toBe(false);
});

it("a missing library says what to install", async () => {
  await expect(pngOf("<svg/>", () => Promise.reject(new Error("Cannot find package")))).rejects.toMatchObject({
    code: "CHARTS_MISSING",
    message: expect.stringContaining("npm install @resvg/resvg-js@2"),
  });
});

it("a machine without fonts is an error instead of a picture without text", async () => {
  class Resvg {
    getBBox() {}
  }
  await expect(pngOf("<svg/>", async () => ({ Resvg }))).rejects.toThrow("this machine has none");
});

it("huge pictures are refused before they are drawn", async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="60000" height="60000"></svg>';
  await expect(pngOf(svg)).rejects.toThrow("too many");
});

it("a chart is saved as a page of its own", async () => {
  const path = await (await bars("x")).save(join(work, "x.html"));
  expect(readFileSync(path, "utf8")).toMatch(/^<!doctype html>.*<title>.*<\/title>\n<svg .*<\/svg>\n<\/html>\n$/s);
});

it("other extensions are refused", async () => {
  await expect((await bars("x")).save(join(work, "x.gif"))).rejects.toThrow("ends with .svg, .png or .html");
});
