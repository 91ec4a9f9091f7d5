/** The first versions of each line in which an expression cannot run other code (CVE-2025-59840). */
const FIXED: Readonly<Record<string, readonly [minor: number, patch: number]>> = { 5: [33, 1], 6: [2, 0] };

/**
 * Whether a version of vega is known to let expressions of a specification run any code.
 *
 * @example
 * isInjectable("5.33.0"); //=> true
 */
export function isInjectable(version: unknown): boolean {
  const [, major = "", minor, patch] = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(String(version)) ?? [];
  const fixed = FIXED[major];
  if (fixed === undefined) return major !== "" && Number(major) < 5;
  return Number(minor) < fixed[0] || (Number(minor) === fixed[0] && Number(patch) < fixed[1]);
}
