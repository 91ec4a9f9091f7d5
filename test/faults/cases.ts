import { PLACES, type Place } from "./server/corpus.js";
import { type Fault, faults } from "./server/faults/index.js";
import { type Way, ways } from "./ways.js";

/** One fault in one place of one way of asking. */
export interface Case {
  readonly fault: Fault;
  readonly way: Way;
  readonly place: Place;
  /** The fault strikes each time until the service is healed; else once. */
  readonly lasting: boolean;
}

/** Every fault, in every way of asking, in every place; what another attempt mends also as a fault that passes. */
export const allCases: readonly Case[] = faults.flatMap((fault) =>
  ways.flatMap((way) =>
    PLACES.flatMap((place) => {
      const lasting = { fault, way, place, lasting: true };
      return fault.passes ? [lasting, { ...lasting, lasting: false }] : [lasting];
    }),
  ),
);

/** Some cases of each fault, so chosen that the faults together meet every way and every place. */
export function someCases(ofEach: number): Case[] {
  return faults.flatMap((fault, at) => {
    const cases = allCases.filter((one) => one.fault === fault);
    const step = cases.length / ofEach;
    return Array.from({ length: ofEach }, (_, n) => cases[Math.floor(n * step + at * 7) % cases.length] as Case);
  });
}

/** The name of a case. */
export function nameOf({ fault, way, place, lasting }: Case): string {
  return `${fault.name} | ${way.name} | page ${place}${lasting ? "" : ", once"}`;
}
