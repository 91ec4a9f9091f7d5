// node .ci/lean.mjs: prints the size of the source and of the tests, and what one warm page of 20 rows runs through.
// Needs `npm run build`. Compiles src file by file into a cache, because the bundle hides which files run.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = resolve(import.meta.dirname, "..");
// Modules look for built files in a directory named dist, and for package.json beside it.
const TRACE = join(ROOT, "node_modules/.cache/trace/dist");
/** What `package.json` exports. Tests may import these without counting as imports of internals. */
const ENTRY_POINTS = ["", "notebook/", "embedded/", "text/", "members/", "corpus/", "fleet/", "coding/"].map(
  (directory) => `src/${directory}index.ts`,
);
/** They have a budget of their own. */
const APART = /^src\/(corpus|fleet)\//;

console.table([...sizes(), ...(await trace())]);

function* sizes() {
  const src = files("src");
  const counted = src.filter(({ path }) => !APART.test(path));
  yield row("lines in src without corpus and fleet", sum(counted), "≤ 40,000");
  yield row("source files there", counted.length, "≤ 370");
  yield row("their median, in lines", median(counted.map(({ lines }) => lines)), "≥ 80");
  yield row("lines in corpus and fleet", sum(src) - sum(counted), "≤ 5,000");
  const test = files("test", /\.(ts|mjs)$/);
  yield row("lines in test", sum(test), "≤ 37,000");
  const imported = test.flatMap(internalImports);
  yield row("imports of tests into internals of src", imported.length, "≤ 250");
  yield row("internal files that tests import", new Set(imported).size, "");
  yield row(
    "entries of the API reference",
    files("src/api", /\.md$/).reduce(
      (all, { path }) => all + (readFileSync(join(ROOT, path), "utf8").match(/^### /gm) ?? []).length,
      0,
    ),
    "≤ 170",
  );
}

/** Counts of one call of `archive.mentions()` for one page, after twenty calls that warm it up. */
async function trace() {
  compile();
  const page = JSON.stringify({ cursor: "c2", mentions: Array.from({ length: 20 }, (_, index) => mention(index)) });
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(page);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { ArchiveClient } = await import(pathToFileURL(join(TRACE, "index.js")).href);
  const archive = new ArchiveClient({ apiKey: "k".repeat(40), baseUrl: `http://127.0.0.1:${server.address().port}` });
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  for (let call = 0; call < 20; call++) await archive.mentions("climate");
  await session.post("Profiler.takePreciseCoverage");
  await archive.mentions("climate");
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  await archive.close();
  server.close();
  const prefix = pathToFileURL(`${TRACE}/`).href;
  const scripts = result
    .filter(({ url }) => url.startsWith(prefix))
    .map(({ url, functions }) => ({
      url: url.slice(prefix.length),
      calls: functions.map(({ ranges }) => ranges[0].count),
    }))
    .map(({ url, calls }) => ({ url, calls: calls.filter((count) => count > 0) }))
    .filter(({ calls }) => calls.length > 0);
  if (process.env.VERBOSE)
    for (const { url, calls } of scripts) console.log(`${url}: ${calls.length} functions, ${total(calls)} calls`);
  return [
    row("files that a page of 20 rows runs through", scripts.length, "≤ 40"),
    row("functions", total(scripts.map(({ calls }) => calls.length)), "≤ 150"),
    row("calls", total(scripts.map(({ calls }) => total(calls))), "≤ 600"),
  ];
}

function compile() {
  rmSync(TRACE, { recursive: true, force: true });
  const options = ["--outDir", TRACE, "--emitDeclarationOnly", "false", "--declaration", "false"];
  execFileSync("node", [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", join(ROOT, "tsconfig.json"), ...options]);
  copyFileSync(join(ROOT, "package.json"), join(TRACE, "../package.json"));
  const built = readdirSync(join(ROOT, "dist")).filter((name) => name.endsWith(".wasm"));
  for (const name of built) copyFileSync(join(ROOT, "dist", name), join(TRACE, name));
  const data = readdirSync(join(ROOT, "src"), { recursive: true }).filter((path) => /\.(json|gz|br)$/.test(path));
  for (const path of data) {
    mkdirSync(dirname(join(TRACE, path)), { recursive: true });
    copyFileSync(join(ROOT, "src", path), join(TRACE, path));
  }
}

function mention(index) {
  return {
    begintime: "2024-04-27T02:35:35Z",
    id: String(900_000_000 + index),
    link: `https://example.org/${index}`,
    person: "Jane Doe",
    programPublicId: "535139-1",
    programTitle: "Senate Session",
    text: "WE HAVE TO TALK ABOUT THE CLIMATE, AND ABOUT WHAT IT COSTS.",
    length: 60,
    personid: 6153,
    programid: 535139,
    videoTypeId: 18,
  };
}

function files(directory, extension = /\.ts$/) {
  return readdirSync(join(ROOT, directory), { recursive: true })
    .filter((path) => extension.test(path))
    .map((path) => join(directory, path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }))
    .map((file) => ({ ...file, lines: file.text.split("\n").length - 1 }));
}

function internalImports({ path, text }) {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) => match[1]);
  return specifiers
    .map((specifier) => relative(ROOT, join(ROOT, dirname(path), specifier)).replace(/\.js$/, ".ts"))
    .filter((target) => target.startsWith("src/") && !ENTRY_POINTS.includes(target));
}

function row(what, measured, goal) {
  return { what, measured, goal };
}
function sum(list) {
  return total(list.map(({ lines }) => lines));
}
function total(numbers) {
  return numbers.reduce((left, right) => left + right, 0);
}
function median(numbers) {
  return numbers.sort((left, right) => left - right)[Math.floor(numbers.length / 2)];
}
