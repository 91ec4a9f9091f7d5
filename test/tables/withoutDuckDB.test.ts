import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "../files/temporary.js";
import { runProcess } from "../runProcess.js";

const DIST = (path: string) => JSON.stringify(pathToFileURL(`dist/${path}/index.js`).href);
/** Node cannot load DuckDB, as where it has no binary: on Alpine Linux. */
const HOOKS = `export const resolve = (name, context, next) => {
  if (name.startsWith("@duckdb/")) throw new Error("no binary");
  return next(name, context);
};`;
const REGISTER = `import { register } from "node:module"; register("data:text/javascript,${encodeURIComponent(HOOKS)}");`;

it("everything but reading files, sql and corpora works without DuckDB", async () => {
  const folder = temporaryFolder();
  const program = `
    import { methodsOf, openArchive, pl, readFrame, saveFrame, sql, where } from ${DIST(".")};
    import { openCorpus } from ${DIST("corpus")};
    import { rates } from ${DIST("text")};
    const archive = await openArchive({ announce: false });
    const frame = await archive.mentions("climate", { mindate: "2024-01-01", maxdate: "2024-03-31", maxItems: 5000 });
    for (const format of ["csv", "json", "jsonl", "parquet", "arrow", "xlsx"]) await saveFrame(frame, "a." + format);
    await archive.save("bills", "b.parquet", { query: "budget", maxItems: 5 });
    frame.filter(where({ text: /climate/i }));
    await rates(frame, "climate", { by: "month", baseline: "own rows" });
    const corpus = async () => (await openCorpus("c", { archive, searches: [{ query: "x", mindate: "2024-01-01", maxdate: "2024-01-01" }] })).build();
    for (const action of [() => readFrame("a.csv"), () => sql("select 1", { frame }), corpus])
      console.log(await Promise.resolve().then(action).then(() => "no error", ({ code, message }) => code + " " + message));
    await archive.close();`;
  const { stdout, stderr, status } = await runProcess(
    process.execPath,
    [
      "--no-warnings",
      "--import",
      `data:text/javascript,${encodeURIComponent(REGISTER)}`,
      "--input-type=module",
      "-e",
      program,
    ],
    { cwd: folder },
  );
  expect([status, stderr]).toEqual([0, ""]);
  const lines = stdout.trim().split("\n");
  expect(lines).toHaveLength(3);
  for (const line of lines)
    expect(line).toMatch(/^ENGINE_MISSING DuckDB cannot be loaded.*Only reading files, sql\(\) and corpora need it/);
});
