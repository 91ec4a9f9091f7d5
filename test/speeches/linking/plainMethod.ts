import { PlainArchive, type ReferenceArchive } from "../referenceSpeeches.js";
import type { Finding, GivenBill } from "./linking.js";

/**
 * The plain method of the specification: the title as a phrase and the number as it is given, in speeches and debates, within the
 * dates of the Congress; one request after another, in pages of 20.
 */
export class PlainMethod extends PlainArchive {
  /** @param senatorsOnly keep those whose title contains Senator; otherwise everyone */
  constructor(
    archive: ReferenceArchive,
    readonly senatorsOnly: boolean,
  ) {
    super(archive);
  }

  async find(given: GivenBill): Promise<Finding> {
    const before = this.requests;
    const [title, number] =
      "billtitle" in given ? [given.billtitle, given.billnumber] : [given.title ?? "", given.number ?? ""];
    const begin = 1789 + (given.congress - 1) * 2;
    const found = new Map<string, Record<string, unknown>>();
    for (const words of [title, number]) {
      if (words === "") continue;
      for (const videotype of ["Speech", "Debate"]) {
        const dates = { mindate: `${begin}-01-03`, maxdate: `${begin + 2}-01-03` };
        for (const row of await this.all({ query: `"${words}"`, videotype, ...dates })) found.set(String(row.id), row);
      }
    }
    const ids: string[] = [];
    for (const [id, row] of found) if (!this.senatorsOnly || (await this.#isSenator(row.personid))) ids.push(id);
    return { ids, requests: this.requests - before };
  }

  async #isSenator(id: unknown): Promise<boolean> {
    if (id === undefined || id === 999999) return false;
    return String((await this.person(String(id)))?.title).includes("Senator");
  }
}
