import { expect, it } from "vitest";
import { useKernel } from "./kernels.js";

const kernel = useKernel();

it.each([
  ["const x = { mindate, maxdate, n: 2 }; x", "{ mindate: 'a', maxdate: 'ab', n: 2 }"],
  ["await Promise.resolve(1); const y = { mindate }; y", "{ mindate: 'a' }"],
  ["({ list: [{ n }] })", "{ list: [ { n: 1 } ] }"],
  ["const own = 3; ({ own, mindate })", "{ own: 3, mindate: 'a' }"],
  ["const f = (mindate: number) => ({ mindate }); f(5)", "{ mindate: 5 }"],
  ["const g = ({ maxdate }: { maxdate: string }) => ({ maxdate, n }); g({ maxdate: 'q' })", "{ maxdate: 'q', n: 1 }"],
  ["({ n } = { n: 7 }); n", "7"],
])("a shorthand property may name a variable of an earlier cell: %s", async (code, shown) => {
  await kernel.run('const mindate = "a"; let n = 1; const maxdate = mindate + "b";');
  const { value, error } = await kernel.run(code);
  expect(error).toBeUndefined();
  expect(value?.["text/plain"]).toBe(shown);
});
