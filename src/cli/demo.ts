import { Command } from "commander";
import type { ArchiveClient } from "../client.js";
import { pl } from "../frames/polars.js";
import { openArchive } from "../openArchive.js";
import { provenanceOf } from "../snapshots/provenanceOf.js";
import { summary } from "../speeches/summary.js";

/** `archive-frames demo`: the main job, on the embedded archive where no key is set. */
export function demoCommand(): Command {
  return new Command("demo")
    .description("show every operation as a frame (on the embedded archive, unless ARCHIVE_API_KEY is set)")
    .action(demo);
}

async function demo(): Promise<void> {
  // A few rows of each frame say enough.
  process.env.POLARS_FMT_MAX_ROWS ??= "4";
  await using archive = await openArchive();

  show('archive.bills("infrastructure")', await archive.bills("infrastructure"));
  show(
    'archive.mentions(\'"climate change"\', { mindate: "2024-01-01", videotype: "Speech", limit: 50 })',
    await archive.mentions('"climate change"', { mindate: "2024-01-01", videotype: "Speech", limit: 50 }),
  );
  const people = await archive.people({ last: "Pelosi" });
  show('archive.people({ last: "Pelosi" })', people);
  show("archive.person(id)", await archive.person(people.getColumn("id").getIndex(0) as number));
  const programs = await archive.programsSearch("text:climate AND category:Senate", { sort: "date desc" });
  show('archive.programsSearch("text:climate AND category:Senate", { sort: "date desc" })', programs);
  show("archive.program(id)", await archive.program(programs.getColumn("id").getIndex(0) as number));

  const budget = await archive.mentions("budget", { maxItems: 500 });
  show('archive.mentions("budget", { maxItems: 500 })   // follows the cursor, one frame', budget);
  const { rows, pages, requests, verdict, reason } = provenanceOf(budget) ?? {};
  show("provenanceOf(frame)", `${rows} rows in ${pages} pages, ${requests} requests; ${verdict} by ${reason}\n`);

  const spoken = archive.scan.mentions("climate", { mindate: "2024-01-01" }).filter(pl.col("personid").eq(6153));
  show("archive.scan.mentions(…).filter(…).explain()", spoken.explain());
  show('….select("begintime", "text").head(40).collect()', await spoken.select("begintime", "text").head(40).collect());

  const bill = { title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 };
  const speeches = await archive.speechesOnBill(bill);
  show("archive.speechesOnBill({ title, number, congress })", speeches);
  show("summary(frame)   // by speaker", summary(speeches));

  show('archive.bills("budget", { engine: "danfo" })', await danfoBills(archive));
  const csv = await archive.bills("budget", { format: "csv" });
  show('archive.bills("budget", { format: "csv" })', `${csv.split("\r\n").slice(0, 4).join("\n")}\n…\n`);
}

/** danfo is an optional peer: without it the demo says what to type, and goes on. */
async function danfoBills(archive: ArchiveClient): Promise<{ toString(): string }> {
  try {
    return (await archive.bills("budget", { engine: "danfo" })).head(5);
  } catch (error) {
    return String(error);
  }
}

function show(call: string, result: { toString(): string }): void {
  process.stdout.write(`\n> ${call}\n${result.toString().trimEnd()}\n`);
}
