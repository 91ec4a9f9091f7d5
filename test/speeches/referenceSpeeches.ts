/**
 * The algorithm of the specification as a straightforward reference implementation: sequential requests, pages of 20. It
 * shares no code with the package; tests compare the two.
 */

export type Row = Record<string, unknown>;

export interface ReferenceBill {
  readonly title: string;
  readonly number: string;
  readonly congress: number;
}

export interface ReferenceSpeaker {
  personid: unknown;
  name: string | null;
  title: string | null;
  speeches: Row[];
}

export interface ReferenceArchive {
  readonly baseUrl: string;
  readonly apiKey: string;
}

export type ReferenceChamber = "senate" | "house" | "any";

/** The algorithm on one archive. It caches people, to keep tests with many bills fast. */
export class ReferenceSpeeches {
  requests = 0;
  readonly #people = new Map<string, Row | null>();

  constructor(readonly archive: ReferenceArchive) {}

  async onBill(
    { title, number, congress }: ReferenceBill,
    chamber: ReferenceChamber = "senate",
  ): Promise<ReferenceSpeaker[]> {
    const begin = 1789 + (congress - 1) * 2;
    const found = new Map<string, Row>();
    for (const query of queriesOf(title, number)) {
      for (const videotype of ["Speech", "Debate"]) {
        const days = { mindate: `${begin}-01-03`, maxdate: `${begin + 2}-01-02` };
        for (const row of await this.#all({ query: `"${query}"`, videotype, ...days })) found.set(String(row.id), row);
      }
    }
    const speakers = new Map<string, ReferenceSpeaker>();
    for (const row of found.values()) {
      const spokenName =
        String(row.person ?? "")
          .split(",")[0]
          ?.trim() || null;
      const nobody = row.personid === undefined || row.personid === 999999;
      const person = nobody ? null : await this.#person(String(row.personid));
      const name = (person?.name as string | undefined) ?? spokenName;
      const title = (person?.title as string | undefined) ?? null;
      const words = { senate: ["senator"], house: ["representative", "delegate"], any: [""] }[chamber];
      if (!words.some((word) => (title ?? (chamber === "any" ? "" : "-")).toLowerCase().includes(word))) continue;
      const key = nobody ? `${row.personid} ${name}` : String(row.personid);
      const speaker = speakers.get(key) ?? { personid: row.personid ?? null, name, title, speeches: [] };
      speaker.speeches.push(row);
      speakers.set(key, speaker);
    }
    const inOrder = [...speakers.values()].sort(
      (a, b) =>
        b.speeches.length - a.speeches.length ||
        compare(a.name ?? "", b.name ?? "") ||
        Number(a.personid ?? Infinity) - Number(b.personid ?? Infinity),
    );
    for (const { speeches } of inOrder) {
      speeches.sort((a, b) => compare(String(a.begintime), String(b.begintime)) || Number(a.id) - Number(b.id));
    }
    return inOrder;
  }

  /** All rows of a search for mentions. */
  async #all(parameters: Record<string, string>): Promise<Row[]> {
    const rows: Row[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await this.#request("/mentions", cursor === undefined ? parameters : { ...parameters, cursor });
      if (page.mentions === undefined) return rows;
      rows.push(...(page.mentions as Row[]));
      cursor = page.cursor as string;
    }
  }

  async #person(id: string): Promise<Row | null> {
    const known = this.#people.get(id);
    if (known !== undefined) return known;
    const { people = [] } = (await this.#request(`/people/${id}`)) as { people?: Row[] };
    this.#people.set(id, people[0] ?? null);
    return people[0] ?? null;
  }

  async #request(path: string, parameters: Record<string, string> = {}): Promise<Row> {
    this.requests++;
    const { baseUrl, apiKey } = this.archive;
    const response = await fetch(`${baseUrl}${path}?${new URLSearchParams(parameters)}`, {
      headers: { "x-api-key": apiKey },
    });
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
    return (await response.json()) as Row;
  }
}

/** The phrases that the algorithm searches: the title, and how "H.R. 12" and "S. 12" are captioned. */
export function queriesOf(title: string, number: string): string[] {
  const digits = number.replace(/\D/g, "");
  const prefixes = number.startsWith("H.R.") ? ["H.R.", "HR", "H R"] : ["S.", "S"];
  return [title, ...prefixes.map((prefix) => `${prefix} ${digits}`)];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
