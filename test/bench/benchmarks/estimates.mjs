import { codebook, codeWith, estimate } from "archive-frames/coding";
import { rates } from "archive-frames/text";
import pl from "nodejs-polars";
import { generator } from "../generator.mjs";
import { figure } from "../table.mjs";
import { withFolder } from "../withFolder.mjs";

const RUNS = Number(process.env.RUNS ?? 1_000);
const book = codebook({ said: "yes/no" });
const yes = (line) => line.value === "yes";

/** How often 95 % intervals of coded samples contain the truth, over drawn populations of 1,000 rows and more. */
export default async function estimates() {
  const random = generator(36);
  const lines = [];
  for (const part of [withMachine, smallGroups, halfCoded, speakers, pages])
    if ((process.env.ONLY ?? part.name) === part.name) lines.push(...(await part(random)));
  return lines;
}

const between = (what, covered, runs = RUNS) => [
  figure(what, (100 * covered) / runs, "%", { least: 92 }),
  figure("  at most", (100 * covered) / runs, "%", { most: 97 }),
];
const rejections = (what, rejected, runs = RUNS) => figure(what, (100 * rejected) / runs, "%", { most: 7 });
const contains = ({ low, high }, truth) => low !== null && low <= truth && truth <= high;

/** Two groups, which the machine codes with uneven errors. */
async function withMachine(random) {
  const group = Array.from({ length: 1_000 }, (_, at) => "AB"[at % 2]);
  const { frame, keys } = await passages({ group });
  const lines = [];
  for (const [right, wrong] of [
    [75, { A: 0.15, B: 0.35 }],
    [95, { A: 0.03, B: 0.07 }],
  ]) {
    const shares = { A: 0.35, B: 0.2 };
    const found = { here: 0, all: 0, naive: 0, gold: 0, difference: 0, width: 0, alone: 0 };
    for (let run = 0; run < RUNS; run++) {
      const truth = group.map((name) => random() < shares[name]);
      const machine = codes(
        keys,
        truth.map((is, at) => (random() < wrong[group[at]] ? !is : is)),
      );
      const gold = sampled(keys, truth, draw(group.keys(), 250, random), 0.25);
      const given = { gold, machine, variable: "said", by: "group", book };
      for (const line of (await estimate(frame, { ...given, finite: true })).toRecords().filter(yes)) {
        const own = truth.filter((_is, at) => group[at] === line.group);
        const share = own.filter(Boolean).length / own.length;
        if (contains(line, share)) found.here += 0.5;
        if (line.gold_low <= share && share <= line.gold_high) found.gold += 0.5;
        if (line.naive_low <= share && share <= line.naive_high) found.naive += 0.5;
        found.width += line.high - line.low;
        found.alone += line.gold_high - line.gold_low;
      }
      for (const line of (await estimate(frame, given)).toRecords().filter(yes))
        if (contains(line, shares[line.group])) found.all += 0.5;
      const [line] = (await estimate(frame, { ...given, by: undefined, compare: "group" })).toRecords();
      if (line.difference_low <= 0.15 && line.difference_high >= 0.15) found.difference++;
    }
    lines.push(
      ...between(`250 of 1,000 coded, machine ${right} % right: these rows`, found.here),
      ...between("  all that they stand for", found.all),
      ...between("  difference of the groups", found.difference),
      ...between("  the sample alone", found.gold),
      figure("  the machine alone", (100 * found.naive) / RUNS, "%"),
      { what: "  width against the sample alone", ratio: found.width / found.alone },
    );
  }
  return lines;
}

/** Groups of few coded rows, and their differences where there are none. */
async function smallGroups(random) {
  const sizes = { a: 8, b: 20, c: 60 };
  const group = Array.from({ length: 1_200 }, (_, at) => "abc"[at % 3]);
  const { frame, keys } = await passages({ group });
  const lines = [];
  for (const share of [0.3, 0.1]) {
    const [covered, rejected] = [
      { a: 0, b: 0, c: 0 },
      { "a-b": 0, "a-c": 0, "b-c": 0 },
    ];
    for (let run = 0; run < RUNS; run++) {
      const truth = group.map(() => random() < share);
      const machine = codes(
        keys,
        truth.map((is) => (random() < 0.15 ? !is : is)),
      );
      const drawn = Object.entries(sizes).flatMap(([name, size]) =>
        draw(
          [...group.keys()].filter((at) => group[at] === name),
          size,
          random,
        ),
      );
      const strata = drawn.map((at) => group[at]);
      const gold = sampled(
        keys,
        truth,
        drawn,
        strata.map((name) => sizes[name] / 400),
        strata,
      );
      const given = { gold, machine, variable: "said", book };
      for (const line of (await estimate(frame, { ...given, by: "group" })).toRecords().filter(yes))
        if (contains(line, share)) covered[line.group]++;
      for (const { group, group_other, p } of (await estimate(frame, { ...given, compare: "group" })).toRecords())
        if (p < 0.05) rejected[`${group}-${group_other}`]++;
    }
    for (const [name, size] of Object.entries(sizes))
      lines.push(...between(`share ${share}, ${size} rows of a group coded`, covered[name]));
    for (const [pair, count] of Object.entries(rejected)) {
      const [one, other] = pair.split("-").map((name) => sizes[name]);
      lines.push(rejections(`${one} against ${other} coded: p < 0.05 without a difference`, count));
    }
  }
  return lines;
}

/** Strata of different shares, of whose drawn rows one half is coded. */
async function halfCoded(random) {
  const group = Array.from({ length: 1_000 }, (_, at) => (at % 5 === 0 ? "small" : "large"));
  const { frame, keys } = await passages({ group });
  const shares = { small: 0.7, large: 0.3 };
  let covered = 0;
  for (let run = 0; run < RUNS; run++) {
    const truth = group.map((name) => random() < shares[name]);
    const coded = Object.keys(shares).flatMap((name) =>
      draw(
        [...group.keys()].filter((at) => group[at] === name),
        name === "small" ? 70 : 40,
        random,
      ),
    );
    const strata = coded.map((at) => group[at]);
    const gold = sampled(
      keys,
      truth,
      coded,
      strata.map((name) => (name === "small" ? 100 / 200 : 100 / 800)),
      strata,
    ).withColumns(pl.lit(100).alias("drawn"));
    const [line] = (await estimate(frame, { gold, variable: "said", book })).toRecords();
    if (contains(line, 0.38)) covered++;
  }
  return between("half of the drawn rows coded, unevenly by stratum", covered);
}

/** Speakers with shares of their own; some speak much more than others. A group of few against one of 120, in ten sets of speakers. */
async function speakers(random) {
  const lines = [];
  for (const few of [8, 15, 40]) {
    const found = { I: 0, D: 0, rejected: 0 };
    for (let set = 0; set < 10; set++) {
      const [personid, party] = [[], []];
      for (let speaker = 0; speaker < few + 120; speaker++) {
        const rows = Math.min(60, 1 + Math.floor(Math.exp(0.9 * normal(random) + 1.5)));
        for (let row = 0; row < rows; row++) {
          personid.push(speaker + 1);
          party.push(speaker < few ? "I" : "D");
        }
      }
      const { frame, keys } = await passages({ personid, party });
      for (let run = 0; run < RUNS / 10; run++) {
        // A beta variable with mean 0.3: the share of a speaker.
        const share = Array.from({ length: few + 120 }, () => beta(1.2, 2.8, random));
        const truth = personid.map((id) => random() < share[id - 1]);
        const machine = codes(
          keys,
          truth.map((is) => (random() < 0.15 ? !is : is)),
        );
        const rows = Math.round(0.5 * keys.length);
        const gold = sampled(keys, truth, draw(keys.keys(), rows, random), rows / keys.length);
        const given = { gold, machine, variable: "said", cluster: "personid", book };
        for (const line of (await estimate(frame, { ...given, by: "party" })).toRecords().filter(yes))
          if (contains(line, 0.3)) found[line.party]++;
        const [{ p }] = (await estimate(frame, { ...given, compare: "party" })).toRecords();
        if (p !== null && p < 0.05) found.rejected++;
      }
    }
    lines.push(...between(`${few} speakers, half of the rows coded, clustered`, found.I));
    if (few === 40) lines.push(...between("120 speakers", found.D));
    lines.push(rejections(`${few} against 120 speakers: p < 0.05 without a difference`, found.rejected));
  }
  return lines;
}

/** Rows that are alike within the pages that they were drawn with: 20 of 200 pages, 10 rows of each. */
async function pages(random) {
  const drawn = Array.from({ length: 200 }, (_, at) => Math.floor(at / 10));
  const found = { estimate: 0, rates: 0 };
  for (let run = 0; run < RUNS; run++) {
    const page = draw(Array.from({ length: 200 }).keys(), 20, random);
    const shares = page.map(() => beta(1.2, 2.8, random));
    const truth = drawn.map((at) => random() < shares[at]);
    const design = {
      stratum: drawn.map(() => "all"),
      probability: drawn.map(() => 0.02),
      page: drawn.map((at) => page[at]),
    };
    const { frame, keys } = await passages({ text: truth.map((is) => (is ? "tax" : "x")), ...design });
    const gold = codes(keys, truth).hstack(pl.DataFrame(design));
    const [line] = (await estimate(frame, { gold, variable: "said", book })).toRecords();
    if (contains(line, 0.3)) found.estimate++;
    const [rate] = (await rates(frame, "tax", { per: "mention", baseline: "own rows" })).toRecords();
    if (contains(rate, 0.3)) found.rates++;
  }
  return [...between("200 rows of 20 pages: estimate", found.estimate), ...between("  rates", found.rates)];
}

/** Rows, with the keys that every coder gets. */
async function passages(columns) {
  const [first] = Object.values(columns);
  const text = first.map((_value, at) => `t${at}`);
  const frame = pl.DataFrame({ id: first.map((_value, at) => String(at)), text, ...columns });
  const coded = await withFolder((record) => codeWith(frame, book, () => ({ said: "no" }), { record }));
  return { frame, keys: coded.getColumn("row").toArray() };
}

function codes(row, said) {
  return pl.DataFrame({ row, coder: row.map(() => "coder"), said: said.map((is) => (is ? "yes" : "no")) });
}

function sampled(keys, truth, drawn, probability, stratum = drawn.map(() => "all")) {
  const coded = codes(
    drawn.map((at) => keys[at]),
    drawn.map((at) => truth[at]),
  );
  return coded.hstack(
    pl.DataFrame({ stratum, probability: drawn.map((_at, nth) => [probability].flat()[nth] ?? probability) }),
  );
}

/** Some of the places, at random. */
function draw(places, count, random) {
  const order = [...places].map((at) => ({ at, key: random() })).sort((a, b) => a.key - b.key);
  return order.slice(0, count).map(({ at }) => at);
}

function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Jöhnk's method. */
function beta(a, b, random) {
  for (;;) {
    const [x, y] = [random() ** (1 / a), random() ** (1 / b)];
    if (x + y <= 1) return x / (x + y);
  }
}
