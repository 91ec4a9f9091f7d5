import { bareName } from "./metadata.js";

/** Members that report a failure in a response with status 200: error, Error_Message, errors, timed_out, … */
const ERRORS =
  /^(?:is|has)?(?:errors?|faults?|exceptions?|failures?)(?:messages?|msg|codes?|types?|info|details?|description|string)?$|^timedout$/;
const STATUS = /^(?:http)?(?:status|statuscode)$/;
const NO_ERROR = /^(?:|0|null|none|no|false|ok|success)$/i;

/** Whether a member of a body may report a failure, depending on its value. */
export function mayReportError(name: string): boolean {
  const bare = bareName(name);
  return ERRORS.test(bare) || STATUS.test(bare);
}

/** Whether a member of a body reports a failure: a non-empty error, or a status of 4xx or 5xx. */
export function reportsError(name: string, value: unknown): boolean {
  const bare = bareName(name);
  if (STATUS.test(bare)) return Number(value) >= 400 && Number(value) < 600;
  return ERRORS.test(bare) && !isEmpty(value);
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return NO_ERROR.test(String(value));
}
