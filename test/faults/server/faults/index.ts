import { answerFaults } from "./answers.js";
import { bodyFaults } from "./bodies.js";
import { connectionFaults } from "./connection.js";
import type { Fault } from "./fault.js";
import { pageFaults } from "./pages.js";

export type { Fault } from "./fault.js";

/** Every fault the server can produce. */
export const faults: readonly Fault[] = [...connectionFaults, ...bodyFaults, ...answerFaults, ...pageFaults];

export function faultNamed(name: string): Fault {
  const fault = faults.find((one) => one.name === name);
  if (fault === undefined) throw new Error(`no fault is called ${name}`);
  return fault;
}
