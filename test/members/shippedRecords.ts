import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { LegislatorRecord } from "../../src/members/index.js";

const FILE = new URL("../../src/members/data/legislators.json.gz", import.meta.url);

/** The data of the package, as plain objects: oracles read it with loops. */
export const RECORDS = (
  JSON.parse(gunzipSync(readFileSync(FILE)).toString("utf8")) as { readonly legislators: readonly LegislatorRecord[] }
).legislators;
