/**
 * A duration as hours, minutes and seconds.
 *
 * @example
 * durationText(93_784_500_000); //=> "26:03:04.5"
 */
export function durationText(microseconds: number): string {
  const absolute = Math.abs(microseconds);
  const seconds = Math.floor(absolute / 1e6);
  const two = (part: number) => String(part % 60).padStart(2, "0");
  const clock = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60))}:${two(seconds)}`;
  const fraction = String(absolute % 1e6)
    .padStart(6, "0")
    .replace(/0+$/, "");
  return `${microseconds < 0 ? "-" : ""}${clock}${fraction === "" ? "" : `.${fraction}`}`;
}
