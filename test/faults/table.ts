import type { Case } from "./cases.js";
import { PROBLEMS, type Violation } from "./invariants.js";

/** The violations that a case found. */
export interface Finding {
  readonly of: Case;
  readonly violations: readonly Violation[];
}

/** The findings as a Markdown table: fault families, cases per kind of call, and the number of cases with each problem. */
export function findingsTable(findings: readonly Finding[]): string {
  const groups = [...new Set(findings.map(({ of }) => of.call.group))];
  const families = [...new Set(findings.map(({ of }) => of.fault.family))];
  const problems = Object.keys(PROBLEMS);
  const line = (name: string, some: readonly Finding[]) => [
    name,
    ...groups.map((group) => some.filter(({ of }) => of.call.group === group).length),
    some.length,
    ...problems.map(
      (problem) => some.filter(({ violations }) => violations.some((one) => one.problem === problem)).length,
    ),
  ];
  const rows = families.map((family) => {
    const some = findings.filter(({ of }) => of.fault.family === family);
    const count = new Set(some.map(({ of }) => of.fault)).size;
    return line(`${family} (${count})`, some);
  });
  const head = ["fault", ...groups, "cases", ...problems];
  const rule = head.map((_, at) => (at === 0 ? "---" : "--:"));
  return [head, rule, ...rows, line("all", findings)].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
