import type { MentionRow } from "../corpus/rows.js";
import { videoTypeId } from "../corpus/videoTypes.js";
import { searchTerms } from "../search/searchTerms.js";
import type { Archive } from "../server/Archive.js";
import { day, optional, positiveInteger, required } from "../server/parameters.js";
import type { OperationRequest } from "./OperationRequest.js";
import { PAGE_SIZE, pageOf, rowsMember } from "./pageOf.js";

/** A higher `limit` is lowered to this without a word. */
export const LARGEST_LIMIT = 1000;

/**
 * GET /mentions: what was spoken, newest first. Pages are asked for by `cursor`, or by `page` and `limit`; where both
 * are given, `cursor` wins.
 */
export function mentions(request: OperationRequest): object {
  const { archive, parameters } = request;
  const query = required(parameters, "query");
  const limit = Math.min(positiveInteger(parameters, "limit", PAGE_SIZE), LARGEST_LIMIT);
  const page = positiveInteger(parameters, "page", 1);
  const filters: Filters = {
    personid: optional(parameters, "personid"),
    date: day(parameters, "date"),
    mindate: day(parameters, "mindate"),
    maxdate: day(parameters, "maxdate"),
    videotype: optional(parameters, "videotype")?.toLowerCase(),
  };
  const accepts = acceptance(archive, filters);
  const rows: MentionRow[] = [];
  for (const document of archive.mentions.all(searchTerms(query))) {
    const row = archive.corpus.mentions[document];
    if (row && accepts(row)) rows.push(row);
  }
  const { personid, date, mindate, maxdate, videotype } = filters;
  const search = ["mentions", query, personid, date, mindate, maxdate, videotype];
  const found = pageOf(request, search, rows, { start: (page - 1) * limit, size: limit });
  return { cursor: found.cursor, ...rowsMember("mentions", found.rows) };
}

interface Filters {
  personid: string | undefined;
  date: string | undefined;
  mindate: string | undefined;
  maxdate: string | undefined;
  videotype: string | undefined;
}

/** The filters as one test of a row. Days are whole days in UTC, both ends included, so their text can be compared. */
function acceptance(archive: Archive, filters: Filters): (row: MentionRow) => boolean {
  const { personid, date, mindate, maxdate, videotype } = filters;
  const tests: ((row: MentionRow) => boolean)[] = [];
  if (personid !== undefined) {
    const id =
      archive.corpus.people.byId.get(personid)?.id ?? (/^[0-9]+$/.test(personid) ? Number(personid) : Number.NaN);
    tests.push((row) => row.personid === id);
  }
  if (date !== undefined) tests.push((row) => row.begintime.slice(0, 10) === date);
  if (mindate !== undefined) tests.push((row) => row.begintime.slice(0, 10) >= mindate);
  if (maxdate !== undefined) tests.push((row) => row.begintime.slice(0, 10) <= maxdate);
  if (videotype !== undefined) {
    const id = videoTypeId(videotype);
    tests.push((row) => row.videoTypeId === id);
  }
  return (row) => tests.every((test) => test(row));
}
