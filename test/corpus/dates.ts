import { afterEach, beforeEach, vi } from "vitest";

/** Stops the date during the tests of a file. Gives a function that sets it during a test: to a time, or to noon of a day. */
export function fakeDates(): (time: string) => void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());
  // After a test, a late request to its server would set the date of all later files.
  return (time) => {
    if (vi.isFakeTimers()) vi.setSystemTime(new Date(time.includes("T") ? time : `${time}T12:00:00Z`));
  };
}

/** The day of a date, which may be missing. */
export const dayOf = (value: unknown) => (value instanceof Date ? value.toISOString().slice(0, 10) : null);

/** A time as the service writes it. */
export const secondOf = (time: number | Date) => new Date(time).toISOString().replace(".000", "");
