import { afterAll, beforeAll, expect, it } from "vitest";
import { type EmbeddedArchive, startEmbeddedArchive } from "../../src/embedded/index.js";
import { ArchiveClient, type PolarsFrame, provenanceOf } from "../../src/index.js";
import { ask, followCursor, type Row } from "./support.js";

const SIZE = 5_000;

let plain: EmbeddedArchive;
let titled: EmbeddedArchive;
beforeAll(async () => {
  plain = await startEmbeddedArchive({ size: SIZE });
  titled = await startEmbeddedArchive({ size: SIZE, personTitles: true });
});
afterAll(async () => {
  await plain?.close();
  await titled?.close();
});

const mentions = async (archive: EmbeddedArchive): Promise<Row[]> =>
  (await followCursor(archive, "/mentions", "mentions", { query: "the", limit: 1000 })).rows;

it("the rows differ by person_title only, and unidentified speakers have none", async () => {
  const people = new Map((await followCursor(plain, "/people", "people")).rows.map(({ id, title }) => [id, title]));
  const rows = await mentions(titled);
  expect(rows.length).toBeGreaterThan(1_000);
  expect(rows.map(({ person_title, ...row }) => row)).toEqual(await mentions(plain));
  for (const row of rows) expect(row.person_title).toBe(people.get(row.personid));
  expect(rows.filter((row) => !("person_title" in row)).length).toBeGreaterThan(0);
});

it("a cursor is valid with and without titles", async () => {
  const [one, other] = await Promise.all([plain, titled].map((archive) => ask(archive, "/mentions", { query: "the" })));
  expect(one?.body.cursor).toBe(other?.body.cursor);
});

it.each(["senate", "house", "any"] as const)(
  "speechesOnBill gives the same frame and looks nobody up, chamber: %s",
  async (chamber) => {
    const bill = {
      title: "Inflation Reduction Act",
      number: "H.R. 5376",
      congress: 117,
      chamber,
      inferSpeakers: false,
    };
    await using client = clientOf(plain);
    await using titledClient = clientOf(titled);
    const expected = await client.speechesOnBill(bill);
    const before = titled.requests;
    const frame = await titledClient.speechesOnBill(bill);
    const sent = titled.requests - before;
    expect(frame.height).toBeGreaterThan(10);
    // Without lookups, the name of a speaker is that of a row, which may spell it in capitals or with an initial.
    const withoutNames = (one: PolarsFrame) => one.drop("name").sort("id").toRecords();
    expect(withoutNames(frame.drop("person_title"))).toEqual(withoutNames(expected));
    for (const { person_title, title, personid } of frame.toRecords())
      expect(person_title).toBe(personid === null || personid === 999999 ? null : title);
    expect(reportOf(frame)).toEqual(reportOf(expected));
    // By now the other client knows everybody: what it sends again is the searches alone.
    expect(sent).toBe(provenanceOf(await client.speechesOnBill(bill))?.requests);
    expect(provenanceOf(expected)?.requests).toBeGreaterThan(sent + 20);
  },
);

/** What the provenance says about the speeches, without the spelling of names. */
function reportOf(frame: PolarsFrame) {
  const { included, excluded, ...report } = provenanceOf(frame)?.speeches ?? { included: [], excluded: [] };
  const byPerson = (speakers: readonly { personid: unknown; name: unknown; speeches: number }[]) =>
    speakers
      .map(({ name, ...speaker }) =>
        speaker.personid === null || speaker.personid === 999999 ? { name, ...speaker } : speaker,
      )
      .map((speaker) => JSON.stringify(speaker))
      .sort();
  return { ...report, included: byPerson(included), excluded: byPerson(excluded) };
}

function clientOf({ apiKey, baseUrl }: EmbeddedArchive): ArchiveClient {
  return new ArchiveClient({ apiKey, baseUrl });
}
