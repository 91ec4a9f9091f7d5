import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Legislator, LegislatorRecord } from "../../src/members/index.js";

const FILE = new URL("../../src/members/data/legislators.json.gz", import.meta.url);

/** The data of the package in the layout of congress-legislators: oracles read it with loops. */
export const RECORDS: readonly LegislatorRecord[] = (
  JSON.parse(gunzipSync(readFileSync(FILE)).toString("utf8")) as { readonly members: readonly Legislator[] }
).members.map(({ bioguide, icpsr, personid, name, names, terms }) => {
  const { family, others, ...parts } = names;
  const [last = "", ...former] = family;
  // The first of the other forms is the full name, if there is one.
  const [wikipedia, ballotpedia] = others.filter((form) => form !== name);
  return {
    id: { bioguide, icpsr, ...(personid !== null && { cspan: personid }), wikipedia, ballotpedia },
    name: { ...parts, last, official_full: name },
    other_names: former.length === 0 ? undefined : former.map((each) => ({ last: each })),
    terms: terms.map(({ chamber, start, end, endApproximate, state, district, parties }) => ({
      type: chamber === "senate" ? ("sen" as const) : ("rep" as const),
      state,
      district,
      end_approximate: endApproximate,
      ...parties[0],
      start,
      end,
      party_affiliations: parties.length > 1 ? parties : undefined,
    })),
  };
});
