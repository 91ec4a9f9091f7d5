import type { Window } from "../definition/windows.js";
import type { Landing } from "./landing.js";

/** The last landing of each window, by its key. Of a search without windows, a refresh may have asked for the last days only. */
export function lastLandings(windows: readonly Window[], landings: readonly Landing[]): Map<string, Landing> {
  const last = new Map<string, Landing>();
  for (const landing of landings)
    last.set(landing.window, landing).set(`${landing.search} ${landing.name} ${landing.maxdate}`, landing);
  return new Map(
    windows.flatMap(({ key, search, name, maxdate = null }) => {
      const whole = last.get(key);
      const landing = name === "all" && whole !== undefined ? last.get(`${search.id} all ${maxdate}`) : whole;
      return landing === undefined ? [] : [[key, landing]];
    }),
  );
}
