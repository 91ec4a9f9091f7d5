/** Number of distinct texts; further rows repeat them with other ids and times. */
const DIFFERENT = 1000;
const FIRST_ID = 902_587_612_345;
const FIRST_TIME = Date.UTC(2024, 3, 27, 2, 35, 35);
const SECONDS_APART = 7;

const WORDS = (
  "THE OF AND TO IN A THAT WE IS FOR THIS ON HAVE WITH ARE IT CLIMATE BUDGET ENERGY SENATOR AMERICAN PEOPLE CONGRESS " +
  "WORK JOBS WILL NOT BE AS THEY HEALTH CARE SECURITY NATION CHANGE GENTLEMAN YIELD CHAIRMAN COMMITTEE INFRASTRUCTURE " +
  "ACT BILL PRESIDENT STATES UNITED DEFENSE FUNDING YEARS MILLION DOLLARS"
).split(" ");
const PEOPLE = [
  "Gregory Allen,Director,Center for Strategic and International Studies,Wadhwani AI Center",
  "Nancy Pelosi,U.S. Representative,[D] California",
  "Charles E. Schumer",
  "Unidentified Speaker",
];

/** A seeded random generator: the same numbers on every run. */
function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function textOf(next) {
  const words = Array.from({ length: 25 + Math.floor(next() * 16) }, () => WORDS[Math.floor(next() * WORDS.length)]);
  const chance = next();
  if (chance < 0.2) words[3] = `"${words[3]}"`;
  if (chance > 0.7) words[5] += "\n>>";
  if (chance > 0.98) words[7] += "’S";
  return words.join(" ");
}

/** A row as JSON, about 549 bytes, with placeholders for id and time. */
function templateOf(at, next) {
  const program = 535_139 + (at % 211);
  const row = {
    begintime: new Date(FIRST_TIME).toISOString().replace(".000", ""),
    id: String(FIRST_ID),
    link: `https://www.c-span.org/video/?${program}-1/house-session&start=${at * 13}&live=1`,
    person: PEOPLE[at % PEOPLE.length],
    programPublicId: `${program}-1`,
    programTitle:
      at % 3 === 0 ? "House Session, Part 2: De elopment and Moderni ation" : "Senate Hearing on Energy Policy",
    text: textOf(next),
    length: 20 + (at % 90),
    personid: at % 9 === 0 ? 999_999 : 6153 + (at % 400),
    programid: 683_870 + (at % 211),
    videoTypeId: 18,
  };
  // Many services escape non-ASCII characters.
  const bytes = Buffer.from(JSON.stringify(row).replaceAll("’", "\\u2019"));
  return { bytes, idAt: bytes.indexOf(row.id), timeAt: bytes.indexOf(row.begintime) };
}

const next = random(7);
const templates = Array.from({ length: DIFFERENT }, (_, at) => templateOf(at, next));

/** A page of these rows with a cursor. */
export function mentionPage(from, to, cursor = "VdRM", secondsApart = SECONDS_APART) {
  const head = Buffer.from(`{"cursor":"${cursor}","mentions":[`);
  return Buffer.concat([head, mentionRows(from, to, secondsApart), Buffer.from("]}")]);
}

/** Rows `from` to before `to` as comma-separated JSON: newest first, with unique ids. */
function mentionRows(from, to, secondsApart) {
  const parts = [];
  for (let at = from; at < to; at++) parts.push(templates[at % DIFFERENT].bytes);
  const rows = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + part.length + 1, -1));
  let p = 0;
  for (let at = from; at < to; at++) {
    const { bytes, idAt, timeAt } = templates[at % DIFFERENT];
    if (at > from) rows[p++] = 0x2c;
    bytes.copy(rows, p);
    rows.latin1Write(String(FIRST_ID - at), p + idAt);
    rows.latin1Write(new Date(FIRST_TIME - at * secondsApart * 1000).toISOString().slice(0, 19), p + timeAt);
    p += bytes.length;
  }
  return rows;
}
