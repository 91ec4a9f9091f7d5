// node .ci/tally.mjs <directory of vitest reports> <names of failed steps…>: adds up all reports and prints "N passed, N failed"
// as the last line, below the failed tests and their messages. A failed step counts as one failure unless its tests failed: reports
// are named after their step (test.json, nodes-24.21.0.json).
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const [directory, ...steps] = process.argv.slice(2);
const reports = (existsSync(directory) ? readdirSync(directory) : []).filter((name) => name.endsWith(".json"));
const total = { passed: 0, failed: 0, skipped: 0 };
const failedSteps = new Set(steps);
for (const name of reports) {
  const report = JSON.parse(readFileSync(join(directory, name), "utf8"));
  const failed = failures(report);
  for (const failure of failed) console.log(failure);
  const tests = { passed: report.numPassedTests, failed: failed.length, skipped: report.numPendingTests };
  console.log(`${name}: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`);
  for (const key of Object.keys(total)) total[key] += tests[key];
  if (tests.failed > 0) failedSteps.delete(name.split(/[-.]/)[0]);
}
if (steps.length > 0) console.log(`failed steps: ${steps.join(", ")}`);

const failed = total.failed + failedSteps.size;
console.log(`${total.passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && total.passed > 0 ? 0 : 1;

/** What failed, with the first lines of its messages: tests, and files that could not run or failed after their tests passed. */
function failures({ testResults }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const tests = assertionResults.filter((assertion) => assertion.status === "failed");
    if (status === "failed" && tests.length === 0) return [`failed: ${file}\n${beginning(message)}`];
    return tests.map(
      ({ fullName, failureMessages }) => `failed: ${file} > ${fullName}\n${failureMessages.map(beginning).join("\n")}`,
    );
  });
}

function beginning(message) {
  return message
    .split("\n")
    .filter((line) => !line.includes("node_modules"))
    .slice(0, 20)
    .map((line) => `    ${line.slice(0, 300)}`)
    .join("\n");
}
