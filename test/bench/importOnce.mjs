/** Imports the named modules in order and prints the milliseconds and the files that were loaded. */
import { Session } from "node:inspector";

const names = process.argv.slice(3);
const scripts = [];
if (process.argv[2] === "list") {
  const session = new Session();
  session.connect();
  session.on("Debugger.scriptParsed", ({ params }) => scripts.push(params.url));
  session.post("Debugger.enable");
}
const start = performance.now();
for (const name of names) await import(name);
const ms = performance.now() - start;
process.stdout.write(JSON.stringify({ ms, scripts }));
