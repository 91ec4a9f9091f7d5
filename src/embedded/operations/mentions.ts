import { DAY } from "../corpus/calendar.js";
import type { Mention } from "../corpus/mention.js";
import { canonicalVideoType, videoTypeId } from "../corpus/videoTypes.js";
import { searchTerms } from "../search/searchTerms.js";
import type { Archive } from "../server/archive.js";
import { day, optional, positiveInteger, required } from "../server/parameters.js";
import { type OperationRequest, PAGE_SIZE, pageOf, rowsMember } from "./operation.js";

/** A higher `limit` is silently reduced to this. */
export const MAX_LIMIT = 1000;

/** GET /mentions: mentions by spoken text, newest first. Pages by `cursor`, or by `page` and `limit`; `cursor` wins. */
export function mentions(request: OperationRequest): object {
  const { archive, parameters } = request;
  const query = required(parameters, "query");
  const limit = Math.min(positiveInteger(parameters, "limit", PAGE_SIZE), MAX_LIMIT);
  const page = positiveInteger(parameters, "page", 1);
  const filters: Filters = {
    personid: optional(parameters, "personid"),
    date: day(parameters, "date"),
    mindate: day(parameters, "mindate"),
    maxdate: day(parameters, "maxdate"),
    videotype: canonicalVideoType(optional(parameters, "videotype")),
  };
  const matches = buildFilter(archive, filters);
  const found: Mention[] = [];
  for (const document of archive.mentions.all(searchTerms(query))) {
    const mention = archive.corpus.mentions[document];
    if (mention && matches(mention)) found.push(mention);
  }
  const { personid, date, mindate, maxdate, videotype } = filters;
  const search = ["mentions", query, personid, date, mindate, maxdate, videotype];
  const { rows, cursor } = pageOf(request, search, found, { start: (page - 1) * limit, size: limit });
  return {
    cursor,
    ...rowsMember(
      "mentions",
      rows.map((mention) => archive.mentionRow(mention)),
    ),
  };
}

interface Filters {
  personid: string | undefined;
  date: string | undefined;
  mindate: string | undefined;
  maxdate: string | undefined;
  /** In canonical spelling, so that letter case does not invalidate cursors; an unknown name stays as given. */
  videotype: string | undefined;
}

/** Combines the filters into one predicate. Dates are whole UTC days, both ends inclusive. */
function buildFilter(archive: Archive, filters: Filters): (mention: Mention) => boolean {
  const { personid, date, mindate, maxdate, videotype } = filters;
  const tests: ((mention: Mention) => boolean)[] = [];
  if (personid !== undefined) {
    const id =
      archive.corpus.people.byId.get(personid)?.id ?? (/^[0-9]+$/.test(personid) ? Number(personid) : Number.NaN);
    tests.push((mention) => mention.personid === id);
  }
  for (const first of [date, mindate]) {
    if (first === undefined) continue;
    const begin = midnight(first);
    tests.push((mention) => mention.begin >= begin);
  }
  for (const last of [date, maxdate]) {
    if (last === undefined) continue;
    const end = midnight(last) + DAY;
    tests.push((mention) => mention.begin < end);
  }
  if (videotype !== undefined) {
    const id = videoTypeId(videotype);
    tests.push((mention) => mention.videoTypeId === id);
  }
  return (mention) => tests.every((test) => test(mention));
}

/** The beginning of a day, in seconds since 1970. */
function midnight(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000;
}
