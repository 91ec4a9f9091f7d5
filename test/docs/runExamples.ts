import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withoutSettings } from "../archiveSettings.js";
import { endWithTests } from "../fleet/endWithTests.js";
import { runProcess } from "../runProcess.js";
import { ROOT } from "./markdown.js";

/**
 * Runs modules one after the other in one process, because loading the package takes most of the time; returns what each printed
 * on stderr, and its error.
 *
 * @param directory an empty directory, in which the modules find the built package
 */
export async function runExamples(directory: string, modules: readonly string[]): Promise<string[]> {
  mkdirSync(join(directory, "node_modules"));
  symlinkSync(ROOT, join(directory, "node_modules/archive-frames"));
  for (const [at, code] of modules.entries()) writeFileSync(join(directory, `${at}.mjs`), code);
  const end = "-- end of an example --\n";
  writeFileSync(
    join(directory, "all.mjs"),
    `for (let at = 0; at < ${modules.length}; at++) {
  await import(\`./\${at}.mjs\`).catch(console.error);
  await new Promise((resolve) => process.stderr.write(${JSON.stringify(end)}, resolve));
}`,
  );
  const env = withoutSettings();
  const { stderr } = await runProcess(process.execPath, ["all.mjs"], { cwd: directory, env, onStart: endWithTests });
  return stderr.split(end);
}
