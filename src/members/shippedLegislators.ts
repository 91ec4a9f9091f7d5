import { readFileSync } from "node:fs";
import { readRecords } from "./file/readRecords.js";
import { type Legislators, legislatorsOf } from "./legislators.js";

/** The content of `data/legislators.json`, which `data/build.mjs` writes. */
type Shipped = Record<"source" | "version" | "date" | "sha256", string> & { legislators: unknown };

let shipped: Legislators | undefined;

/** The data in this package: the members sitting on its date. Read on first use. */
export function shippedLegislators(): Legislators {
  if (shipped !== undefined) return shipped;
  // src is at the same place seen from src/members and from dist/members.
  const text = readFileSync(new URL("../../src/members/data/legislators.json", import.meta.url), "utf8");
  const { source, version, date, sha256, legislators } = JSON.parse(text) as Shipped;
  const fail = (path: readonly unknown[], what: string) => new Error(`legislators.json: ${path.join(".")} ${what}`);
  shipped = legislatorsOf(readRecords(legislators, fail), {
    source,
    version,
    date,
    sha256,
  });
  return shipped;
}
