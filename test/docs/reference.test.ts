import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as publicSurface from "../../src/index.js";
import { ROOT, readText } from "./markdown.js";
import { MARKERS, reference } from "./reference.js";

const [BEGIN, END] = MARKERS;

describe("the API reference of the README", () => {
  it("is what the code says", () => {
    const readme = readText("README.md");
    const from = readme.indexOf(BEGIN);
    const to = readme.indexOf(END);
    expect(from >= 0 && to > from, `README.md has ${BEGIN} and then ${END}`).toBe(true);
    const written = `${readme.slice(0, from)}${BEGIN}\n\n${reference()}\n\n${readme.slice(to)}`;
    if (process.env.UPDATE_README === "1") writeFileSync(join(ROOT, "README.md"), written);
    else expect(readme, "README.md is behind the code; this rewrites it: npm run docs").toBe(written);
  });

  it("leaves out nothing that the package exports", () => {
    const readme = readText("README.md");
    const exported = Object.keys(publicSurface).filter((name) => !readme.includes(name));
    expect(exported, "exported, but not in README.md").toEqual([]);
  });
});
