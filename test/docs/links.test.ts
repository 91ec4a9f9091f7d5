import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { anchors, linkTargets, markdownFiles, ROOT, readText } from "./markdown.js";

it.each(markdownFiles())("the relative links of %s lead somewhere", (file) => {
  const broken = linkTargets(readText(file)).filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path, anchor] = target.split("#") as [string, string?];
    const aim = path === "" ? file : join(dirname(file), path);
    if (!existsSync(join(ROOT, aim))) return true;
    return anchor !== undefined && !anchors(readText(aim)).has(anchor);
  });
  expect(broken).toEqual([]);
});

it("the tests that SECURITY.md names exist", () => {
  const named = [...readText("SECURITY.md").matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => join(ROOT, path as string));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(path) && !existsSync(`${path}.test.ts`))).toEqual([]);
});
