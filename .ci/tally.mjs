// node .ci/tally.mjs <report of vitest> <names of failed steps…>: the last line is "N passed, N failed". A step that
// failed counts as one; the tests count for themselves.
import { existsSync, readFileSync } from "node:fs";

const [report, ...steps] = process.argv.slice(2);
const tests = existsSync(report) ? count(JSON.parse(readFileSync(report, "utf8"))) : { passed: 0, failed: 0 };
const others = steps.filter((step) => step !== "test" || tests.failed === 0);
if (steps.length > 0) console.log(`failed steps: ${steps.join(", ")}`);

const failed = tests.failed + others.length;
console.log(`${tests.passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && tests.passed > 0 ? 0 : 1;

/** A file that could not be run has no tests that failed; it counts as one. */
function count({ numPassedTests, numFailedTests, testResults }) {
  const broken = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((assertion) => assertion.status === "failed"),
  );
  return { passed: numPassedTests, failed: numFailedTests + broken.length };
}
