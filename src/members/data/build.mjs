// npm run build:members -- <legislators-current.yaml> <commit> <date>: writes legislators.json, the data of this package, with
// what src/members reads of the file. The file is in the public domain (CC0 1.0):
// https://github.com/unitedstates/congress-legislators
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { load } from "js-yaml";

const [path, version, date] = process.argv.slice(2);
if (!/^[\da-f]{7,40}$/.test(version ?? "") || !/^\d{4}-\d\d-\d\d$/.test(date ?? "")) {
  console.error("usage: npm run build:members -- <legislators-current.yaml> <commit> <date>");
  process.exit(1);
}
const bytes = readFileSync(path);

/** The given members of an object that have a value. */
function pick(object, names) {
  return Object.fromEntries(names.filter((name) => object?.[name] !== undefined).map((name) => [name, object[name]]));
}

const lines = load(bytes.toString("utf8"), { maxAliases: 0 }).map(({ id, name, other_names, terms }) => {
  const full = name.official_full ?? `${name.first} ${name.last}`;
  // Only other forms of the name are worth their place.
  const forms = ["wikipedia", "ballotpedia"].filter((site) => id[site] !== undefined && id[site] !== full);
  return JSON.stringify({
    id: pick(id, ["bioguide", "icpsr", "cspan", ...forms]),
    name: pick(name, ["first", "middle", "nickname", "last", "suffix", "official_full"]),
    ...(other_names && { other_names }),
    terms: terms.map((term) =>
      pick(term, ["type", "start", "end", "state", "district", "party", "caucus", "party_affiliations"]),
    ),
  });
});
const about = {
  source: "unitedstates/congress-legislators, legislators-current.yaml",
  version,
  date,
  license: "CC0-1.0",
  sha256: createHash("sha256").update(bytes).digest("hex"),
};
const json = `${JSON.stringify(about, null, 1).slice(0, -2)},\n "legislators": [\n${lines.join(",\n")}\n]}\n`;
JSON.parse(json);
writeFileSync(new URL("legislators.json", import.meta.url), json);
console.log(`${lines.length} members, ${json.length.toLocaleString("en-US")} characters`);
