// npm run build:members -- <legislators.yaml> <commit> <date> [complete since]: writes legislators.json.gz, the data of this package, in
// the form that `loadLegislators` returns. Needs `npm run build`.
// The file is in the public domain (CC0 1.0): https://github.com/unitedstates/congress-legislators
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { load } from "js-yaml";
import { loadLegislators } from "../../../dist/members/index.js";

const [path, version, date, completeSince = date] = process.argv.slice(2);
const isDay = (text) => /^\d{4}-\d\d-\d\d$/.test(text ?? "");
if (!/^[\da-f]{7,40}$/.test(version ?? "") || !isDay(date) || !isDay(completeSince)) {
  console.error("usage: npm run build:members -- <legislators.yaml> <commit> <date> [complete since]");
  process.exit(1);
}
const bytes = readFileSync(path);
/** Last days that may be late, by bioguide id; src/members/README.md says why. */
const approximateEnds = new Map(
  Object.entries(JSON.parse(readFileSync(new URL("approximateEnds.json", import.meta.url)))),
);

/** The members of an object that are in a list and have a value. */
function pick(object, names) {
  return Object.fromEntries(names.filter((name) => object?.[name] !== undefined).map((name) => [name, object[name]]));
}

function termOf(term, bioguide) {
  const isApproximate = approximateEnds.get(bioguide) === term.end && approximateEnds.delete(bioguide);
  return {
    ...pick(term, ["type", "start", "end", "state", "district", "party", "caucus", "party_affiliations"]),
    ...(isApproximate && { end_approximate: true }),
  };
}

const records = load(bytes.toString("utf8"), { maxAliases: 0 }).map(({ id, name, other_names, terms }) => {
  const full = name.official_full ?? `${name.first} ${name.last}`;
  // Equal forms of the name would only take space.
  const forms = ["wikipedia", "ballotpedia"].filter((site) => id[site] !== undefined && id[site] !== full);
  return {
    id: pick(id, ["bioguide", "icpsr", "cspan", ...forms]),
    name: pick(name, ["first", "middle", "nickname", "last", "suffix", "official_full"]),
    ...(other_names && { other_names }),
    terms: terms.map((term) => termOf(term, id.bioguide)),
  };
});
if (approximateEnds.size > 0) throw new Error(`no such end: ${[...approximateEnds].join("; ")}`);
const directory = mkdtempSync(join(tmpdir(), "members-"));
const file = join(directory, "legislators.json");
writeFileSync(file, JSON.stringify(records));
const { members } = await loadLegislators(file);
rmSync(directory, { recursive: true });
const about = {
  source: "unitedstates/congress-legislators, legislators-current.yaml since 2012",
  version,
  date,
  completeSince,
  license: "CC0-1.0",
  sha256: createHash("sha256").update(bytes).digest("hex"),
};
const json = `${JSON.stringify(about, null, 1).slice(0, -2)},\n "members": [\n${members.map((member) => JSON.stringify(member)).join(",\n")}\n]}\n`;
JSON.parse(json);
const compressed = gzipSync(json, { level: 9 });
writeFileSync(new URL("legislators.json.gz", import.meta.url), compressed);
console.log(`${members.length} members, ${compressed.length.toLocaleString("en-US")} bytes`);
