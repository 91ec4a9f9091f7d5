/** Runs all benchmarks, or the named ones: `node test/bench/run.mjs page pages20`. */
import { printTable } from "./table.mjs";

const ALL = [
  "page",
  "import",
  "pages20",
  "pages1000",
  "latency",
  "requests",
  "wire",
  "throttles",
  "memory",
  "speeches",
  "linking",
  "save",
  "kernel",
  "text",
  "coverage",
  "corpus",
  "fleet",
  "install",
];

const named = process.argv.slice(2);
const unknown = named.find((name) => !ALL.includes(name));
if (unknown !== undefined) throw new Error(`no benchmark is named ${unknown}; there are ${ALL.join(", ")}`);

for (const name of named.length > 0 ? named : ALL) {
  const { default: benchmark } = await import(`./benchmarks/${name}.mjs`);
  printTable(name, await benchmark());
}
