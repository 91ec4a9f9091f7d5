import { ValidationError } from "../errors/index.js";
import { type ArchiveRequest, buildRequest } from "../service/operations/request.js";
import type { Period } from "../util/period.js";
import { dateWindows } from "./dateWindows.js";

/** A search of mentions for each period of its days. */
export function requestsByPeriod(
  period: Period,
  option: string,
  request: ArchiveRequest,
  unchecked: unknown,
): readonly { readonly name: string; readonly request: ArchiveRequest }[] {
  const parameters = Object.fromEntries(request.query);
  const { mindate, maxdate } = parameters;
  if (mindate === undefined || maxdate === undefined) {
    throw new ValidationError(`invalid ${option}: "${period}" needs mindate and maxdate.`, {
      hint: 'Give the first and the last day, for example mindate: "2024-01-01", maxdate: "2024-12-31", or congress: 117.',
      parameter: option,
    });
  }
  return dateWindows(mindate, maxdate, period).map(({ name, ...days }) => ({
    name,
    request: buildRequest("mentions", { ...parameters, unchecked, ...days }),
  }));
}
