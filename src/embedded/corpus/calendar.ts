/** Seconds of a day. */
export const DAY = 86_400;

/** The Congresses of the corpus, oldest first. */
export const CONGRESSES: readonly number[] = [112, 113, 114, 115, 116, 117, 118, 119];

/** The last day on which anything was broadcast, as seconds since 1970. */
const CORPUS_END = Date.UTC(2026, 5, 26) / 1000;

/** First and last day (seconds since 1970, midnight UTC) on which programs of a Congress were broadcast. */
export function sittingDays(congress: number): { first: number; last: number } {
  const year = 1789 + (congress - 1) * 2;
  const last = Date.UTC(year + 2, 0, 1) / 1000;
  return { first: Date.UTC(year, 0, 5) / 1000, last: Math.min(last, CORPUS_END) };
}

/** True on Saturdays and Sundays (1970-01-01 was a Thursday). */
export function isWeekend(seconds: number): boolean {
  const weekday = (Math.floor(seconds / DAY) + 4) % 7;
  return weekday === 0 || weekday === 6;
}

const dayTexts = new Map<number, string>();
const TWO: readonly string[] = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

/** Seconds since 1970 as the service writes them. //=> "2024-04-27T02:35:35Z" */
export function isoSeconds(seconds: number): string {
  const day = Math.floor(seconds / DAY);
  let text = dayTexts.get(day);
  if (text === undefined) {
    text = new Date(day * DAY * 1000).toISOString().slice(0, 11);
    dayTexts.set(day, text);
  }
  const rest = seconds - day * DAY;
  const clock = `${TWO[Math.floor(rest / 3600)]}:${TWO[Math.floor(rest / 60) % 60]}:${TWO[rest % 60]}Z`;
  return text + clock;
}
