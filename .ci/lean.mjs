// node .ci/lean.mjs: prints the lines of the source, of each of its rooms and of the tests beside their budgets, and fails above a
// budget of .ci/budget.tsv. Prints also what one warm page of 20 rows runs through, and the calls for the speeches on a bill. VERBOSE=1 lists the files, VERBOSE=2 the functions that are called most.
// Needs `npm run build`. Compiles src file by file into a cache, because the bundle hides which files run.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { startArchive } from "../test/bench/startArchive.mjs";

const ROOT = resolve(import.meta.dirname, "..");
// Modules look for built files in a directory named dist, and for package.json beside it.
/** What counts as lines of tests. */
const TEST = /\.(ts|mjs)$/;
const TRACE = join(ROOT, "node_modules/.cache/trace/dist");
/** What `package.json` exports. Tests may import these without counting as imports of internals. */
const ENTRY_POINTS = Object.values(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).exports)
  .flatMap(({ types = [] }) => types)
  .map((path) => path.replace("./dist", "src").replace(/d\.ts$/, "ts"));
/** Rooms and the lines they may have: what binds, and the plan of the round where it lies beside the project. */
const BINDING = budgets(join(ROOT, ".ci/budget.tsv"));
const PLANNED = budgets(join(ROOT, "../shared/budget.tsv"));

console.table([...sizes(), ...(await trace())]);

function* sizes() {
  const src = files("src");
  for (const room of new Set([...BINDING.keys(), ...PLANNED.keys(), ...src.map(({ path }) => path.split("/")[1])])) {
    // The files of src itself are one room.
    if (room.endsWith(".ts") && !BINDING.has(room) && !PLANNED.has(room)) continue;
    const lines = linesOf(room);
    const most = BINDING.get(room);
    if (most !== undefined && lines > most) {
      console.error(`${room} has ${lines} lines, more than the ${most} of .ci/budget.tsv.`);
      process.exitCode = 1;
    }
    yield row(`lines of ${room}`, lines, most ?? (PLANNED.has(room) ? `(${PLANNED.get(room)})` : ""));
  }
  yield row("source files", src.length, "≤ 260");
  yield row("their median, in lines", median(src.map(({ lines }) => lines)), "90 to 120");
  const test = files("test", TEST);
  const imported = test.flatMap(internalImports);
  yield row("imports of tests into internals of src", imported.length, "≤ 120");
  yield row("internal files that tests import", new Set(imported).size, "");
  yield row(
    "entries of the API reference",
    files("src/api", /\.md$/).reduce(
      (all, { path }) => all + (readFileSync(join(ROOT, path), "utf8").match(/^### /gm) ?? []).length,
      0,
    ),
    "",
  );
}

/** Counts of one call of `archive.mentions()` for one page, warm, and of one of `archive.speechesOnBill()` by a new client. */
async function trace() {
  compile();
  const page = JSON.stringify({ cursor: "c2", mentions: Array.from({ length: 20 }, (_, index) => mention(index)) });
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(page);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { ArchiveClient } = await compiled("src/index.ts");
  const archive = new ArchiveClient({ apiKey: "k".repeat(40), baseUrl: `http://127.0.0.1:${server.address().port}` });
  const page20 = await countedCalls(
    () => archive.mentions("climate"),
    () => archive.mentions("climate"),
  );
  await archive.close();
  server.close();
  const embedded = await startArchive({});
  const onBill = async () => {
    const fresh = new ArchiveClient({ baseUrl: embedded.baseUrl, apiKey: embedded.apiKey, progress: false });
    await fresh.speechesOnBill({ title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 });
    await fresh.close();
  };
  const speeches = await countedCalls(onBill);
  embedded.stop();
  const entryPoints = await Promise.all(ENTRY_POINTS.map((path) => compiled(path)));
  const { commands } = await compiled("src/cli/runCommandLine.ts");
  return [
    row("exported values", total(entryPoints.map((entry) => Object.keys(entry).length)), "≤ 60"),
    row("commands", commands().flatMap(withoutGroups).length, "≤ 18"),
    row("files that a page of 20 rows runs through", page20.length, "≤ 24"),
    row("functions", total(page20.map(({ calls }) => calls.length)), "≤ 110"),
    row("calls", total(page20.map(({ calls }) => total(calls))), "≤ 230"),
    row("calls for the speeches on a bill", total(speeches.map(({ calls }) => total(calls))), ""),
  ];
}

/** A compiled module of src. */
function compiled(path) {
  return import(pathToFileURL(join(TRACE, path.replace(/^src\/|\.ts$/g, "").concat(".js"))).href);
}

/** A command, or its subcommands. */
function withoutGroups(command) {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(withoutGroups);
}

/** The calls of our functions by file, after twenty calls of `warmUp`. */
async function countedCalls(run, warmUp) {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  for (let call = 0; warmUp !== undefined && call < 20; call++) await warmUp();
  await session.post("Profiler.takePreciseCoverage");
  await run();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  const prefix = pathToFileURL(`${TRACE}/`).href;
  const scripts = result
    .filter(({ url }) => url.startsWith(prefix))
    .map(({ url, functions }) => {
      const counted = functions.map(({ functionName, ranges }) => ({ functionName, calls: ranges[0].count }));
      return { url: url.slice(prefix.length), functions: counted.filter(({ calls }) => calls > 0) };
    })
    .map(({ url, functions }) => ({ url, functions, calls: functions.map(({ calls }) => calls) }))
    .filter(({ calls }) => calls.length > 0);
  if (process.env.VERBOSE === "1")
    for (const { url, calls } of scripts) console.log(`${url}: ${calls.length} functions, ${total(calls)} calls`);
  if (process.env.VERBOSE === "2") {
    const all = scripts.flatMap(({ url, functions }) => functions.map((one) => ({ url, ...one })));
    console.table(all.sort((one, other) => other.calls - one.calls).slice(0, 40));
  }
  return scripts;
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
    // What is shipped as a source is read from there.
    const copy = path.endsWith(".gz") ? join(TRACE, "../src", path) : join(TRACE, path);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(ROOT, "src", path), copy);
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

/** The lines of src, of test, of a directory of src, or of the files of src that a room names. */
function linesOf(room) {
  if (room === "src") return sum(files("src"));
  if (room === "test") return sum(files("test", TEST));
  if (!room.endsWith(".ts")) return sum(files(join("src", room)));
  const names = room.split(" ").map((name) => join("src", name));
  return sum(files("src").filter(({ path }) => names.includes(path)));
}

/** The room and its lines, from a table that also has `room`, `now` and `issue`. */
function budgets(path) {
  if (!existsSync(path)) return new Map();
  const [header = "", ...lines] = readFileSync(path, "utf8").trim().split("\n");
  const column = header.split("\t").indexOf("budget");
  return new Map(lines.map((line) => line.split("\t")).map((fields) => [fields[0], Number(fields[column])]));
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
