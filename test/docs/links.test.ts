import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { headingsOf, linkTargets, markdownFiles, ROOT, readText } from "./markdown.js";

it.each(markdownFiles())("every relative link of %s resolves", (file) => {
  const broken = linkTargets(readText(file)).filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path, anchor] = target.split("#") as [string, string?];
    const aim = path === "" ? file : join(dirname(file), path);
    if (!existsSync(join(ROOT, aim))) return true;
    return anchor !== undefined && !headingsOf(readText(aim)).some((heading) => heading.anchor === anchor);
  });
  expect(broken).toEqual([]);
});

it.each([
  ["SECURITY.md", 20],
  ["test/faults/README.md", 7],
] as const)("the tests that %s names exist", (file, least) => {
  const named = [...readText(file).matchAll(/\b(test\/[\w/]+)(?:\.test\.ts)?`/g)].map(([, path]) => path as string);
  expect(named.length).toBeGreaterThan(least);
  expect(named.filter((path) => !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, `${path}.test.ts`)))).toEqual(
    [],
  );
});
