// node .ci/tally.mjs <folder with reports of vitest> <names of failed steps…>: the last line is "N passed, N failed". The tests
// count for themselves; a step that failed counts as one, unless it is one of tests that failed. Test steps are "test", with the
// report test.json, and "nodes", with a report for each Node.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, ...steps] = process.argv.slice(2);
const reports = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith(".json"));
const total = { passed: 0, failed: 0, skipped: 0 };
const failedSteps = new Set(steps);
for (const name of reports) {
  const tests = count(JSON.parse(readFileSync(join(folder, name), "utf8")));
  console.log(`${name}: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`);
  for (const key of Object.keys(total)) total[key] += tests[key];
  if (tests.failed > 0) failedSteps.delete(name === "test.json" ? "test" : "nodes");
}
if (steps.length > 0) console.log(`failed steps: ${steps.join(", ")}`);

const failed = total.failed + failedSteps.size;
console.log(`${total.passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && total.passed > 0 ? 0 : 1;

/** A file that could not be run has no tests that failed; it counts as one. */
function count({ numPassedTests, numFailedTests, numPendingTests, testResults }) {
  const broken = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((assertion) => assertion.status === "failed"),
  );
  return { passed: numPassedTests, failed: numFailedTests + broken.length, skipped: numPendingTests };
}
