import { type Call, calls } from "./calls.js";
import { PLACES, type Place } from "./server/corpus.js";
import { type Fault, faults } from "./server/faults/index.js";

/** One fault on one page of one call. */
export interface Case {
  readonly fault: Fault;
  readonly call: Call;
  readonly place: Place;
  /** The fault strikes every request until the service is healed; otherwise only once. */
  readonly isLasting: boolean;
}

/** Every fault on every page of every call; a fault that a retry overcomes is also tested striking only once. */
export const allCases: readonly Case[] = faults.flatMap((fault) =>
  calls.flatMap((call) =>
    PLACES.flatMap((place) => {
      const lasting = { fault, call, place, isLasting: true };
      return fault.passes ? [lasting, { ...lasting, isLasting: false }] : [lasting];
    }),
  ),
);

/** A number of cases of each fault, chosen so that together they cover every call and every page. */
export function someCases(ofEach: number): Case[] {
  return faults.flatMap((fault, at) => {
    const cases = allCases.filter((one) => one.fault === fault);
    const step = cases.length / ofEach;
    return Array.from({ length: ofEach }, (_, n) => cases[Math.floor(n * step + at * 7) % cases.length] as Case);
  });
}

/** The display name of a case. */
export function nameOf({ fault, call, place, isLasting }: Case): string {
  return `${fault.name} | ${call.name} | page ${place}${isLasting ? "" : ", once"}`;
}
