// Code as in a project that uses the package; it must compile under every module resolution.
import {
  ArchiveClient,
  type ArchiveClientOptions,
  ArchiveError,
  type MentionRow,
  openArchive,
  pl,
  provenanceOf,
  toDataFrame,
} from "archive-frames";
import { type EmbeddedArchive, startEmbeddedArchive } from "archive-frames/embedded";
import { withMembers } from "archive-frames/members";
import { kwic } from "archive-frames/text";

export async function speakers(options: ArchiveClientOptions): Promise<string[]> {
  const archive = await openArchive(options);
  const frame: pl.DataFrame = await new ArchiveClient().mentions("budget", { maxItems: 10, mindate: "2024-01-01" });
  const rows: MentionRow[] = await archive.mentions("budget", { format: "records" });
  const csv: string = await archive.bills("budget", { format: "csv" });
  const verdict: string | undefined = provenanceOf(frame)?.verdict;
  await archive.close();
  const names = frame.select(pl.col("person")).columns;
  return [...rows.map((row) => row.person ?? ""), csv, verdict ?? "", ...toDataFrame(rows).columns, ...names];
}

export async function codeOf(call: () => Promise<unknown>): Promise<string> {
  const service: EmbeddedArchive = await startEmbeddedArchive({ quota: 5 });
  await service.close();
  return call().then(
    () => "",
    (error: unknown) => (error instanceof ArchiveError ? error.code : ""),
  );
}

export async function partiesOf(frame: pl.DataFrame): Promise<string[]> {
  const lines: pl.DataFrame = await kwic(await withMembers(frame), ["climate change"], { by: "party" });
  return lines.columns;
}
