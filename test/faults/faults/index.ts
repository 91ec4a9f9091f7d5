import { answerFaults } from "./answers.js";
import { bodyFaults } from "./bodies.js";
import { connectionFaults } from "./connection.js";
import type { Fault } from "./fault.js";
import { pageFaults } from "./pages.js";

/** Everything that a service can do wrong. */
export const faults: readonly Fault[] = [...connectionFaults, ...bodyFaults, ...answerFaults, ...pageFaults];
