import type { Finding, GivenBill } from "./linking.js";

type Row = Record<string, unknown>;

/**
 * The plain method of the specification: the title as a phrase and the number as it is given, in speeches and debates, within the
 * dates of the Congress; one request after another, in pages of 20.
 */
export class PlainMethod {
  #requests = 0;
  readonly #titles = new Map<unknown, string>();

  /** @param senatorsOnly keep those whose title contains Senator; otherwise everyone */
  constructor(
    readonly archive: { readonly baseUrl: string; readonly apiKey: string },
    readonly senatorsOnly: boolean,
  ) {}

  async find(given: GivenBill): Promise<Finding> {
    const before = this.#requests;
    const [title, number] =
      "billtitle" in given ? [given.billtitle, given.billnumber] : [given.title ?? "", given.number ?? ""];
    const begin = 1789 + (given.congress - 1) * 2;
    const found = new Map<string, Row>();
    for (const words of [title, number]) {
      if (words === "") continue;
      for (const videotype of ["Speech", "Debate"]) {
        const dates = { mindate: `${begin}-01-03`, maxdate: `${begin + 2}-01-03` };
        for (const row of await this.#all({ query: `"${words}"`, videotype, ...dates })) found.set(String(row.id), row);
      }
    }
    const ids: string[] = [];
    for (const [id, row] of found) if (!this.senatorsOnly || (await this.#isSenator(row.personid))) ids.push(id);
    return { ids, requests: this.#requests - before };
  }

  async #all(parameters: Record<string, string>): Promise<Row[]> {
    const rows: Row[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await this.#request("/mentions", cursor === undefined ? parameters : { ...parameters, cursor });
      if (page.mentions === undefined) return rows;
      rows.push(...(page.mentions as Row[]));
      cursor = page.cursor as string;
    }
  }

  async #isSenator(id: unknown): Promise<boolean> {
    if (id === undefined || id === 999999) return false;
    let title = this.#titles.get(id);
    if (title === undefined) {
      const { people = [] } = (await this.#request(`/people/${id}`)) as { people?: { title?: string }[] };
      title = people[0]?.title ?? "";
      this.#titles.set(id, title);
    }
    return title.includes("Senator");
  }

  async #request(path: string, parameters: Record<string, string> = {}): Promise<Row> {
    this.#requests++;
    const { baseUrl, apiKey } = this.archive;
    const url = `${baseUrl}${path}?${new URLSearchParams(parameters)}`;
    const response = await fetch(url, { headers: { "x-api-key": apiKey } });
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
    return (await response.json()) as Row;
  }
}
