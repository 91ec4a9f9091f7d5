import type { ErrorCode } from "../../src/index.js";
import { type Call, calls } from "./calls.js";
import { answerFaults } from "./faults/answers.js";
import { bodyFaults } from "./faults/bodies.js";
import { connectionFaults } from "./faults/connection.js";
import type { Fault } from "./faults/fault.js";
import { pageFaults } from "./faults/pages.js";
import { PLACES, type Place } from "./numberedRows.js";

/** One fault on one page of one call. */
export interface Case {
  readonly name: string;
  readonly fault: Fault;
  readonly call: Call;
  readonly place: Place;
  /** The fault strikes every request until the service is healed; otherwise only once. */
  readonly isLasting: boolean;
}

/** Everything that a service can do wrong. */
const faults: readonly Fault[] = [...connectionFaults, ...bodyFaults, ...answerFaults, ...pageFaults];

/** Errors of attempts that are made again. */
const RETRIED: ReadonlySet<ErrorCode | undefined> = new Set([
  "BODY_TRUNCATED",
  "CONNECTION_FAILED",
  "RATE_LIMITED",
  "SERVER_ERROR",
  "TIMEOUT",
]);

/** Every fault on every page of every call; a fault that a retry overcomes is also tested striking only once. */
export const allCases: readonly Case[] = faults.flatMap((fault) => {
  const strikes = RETRIED.has(fault.code) && !fault.isFinal ? [true, false] : [true];
  return calls.flatMap((call) =>
    PLACES.flatMap((place) =>
      strikes.map((isLasting) => {
        const name = `${fault.name} | ${call.name} | page ${place}${isLasting ? "" : ", once"}`;
        return { name, fault, call, place, isLasting };
      }),
    ),
  );
});

/** A number of cases of each fault, chosen so that together they cover every call and every page. */
export function someCases(ofEach: number): Case[] {
  return faults.flatMap((fault, at) => {
    const cases = allCases.filter((one) => one.fault === fault);
    const step = cases.length / ofEach;
    return Array.from({ length: ofEach }, (_, n) => cases[Math.floor(n * step + at * 7) % cases.length] as Case);
  });
}
