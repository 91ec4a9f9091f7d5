import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diffSnapshots } from "../../src/index.js";
import { mention } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { pagedArchive } from "../scan/pagedServer.js";

const root = temporaryFolder();

describe("diffSnapshots", () => {
  it("returns the rows added, removed and changed for each search, by id, whatever the page size", async () => {
    const [before, after] = ["before", "after"].map((name) => join(root, name)) as [string, string];
    const rows = { [before]: [1, 2, 3, 4, 5], [after]: [2, 3, 4, 5, 6, 7] };
    const text = { [before]: "THE CLIMATE", [after]: "THE CLIMATE, CORRECTED" };
    for (const dir of [before, after]) {
      const ids = rows[dir] as number[];
      const { archive } = await pagedArchive(
        {
          rows: ids.length,
          row: (number) => {
            const id = ids[number - 1] as number;
            return mention(id, id === 4 ? { text: text[dir] } : {});
          },
        },
        { snapshot: { dir } },
      );
      await archive.mentions("climate", { maxItems: 100, limit: dir === before ? 2 : 3 });
      if (dir === after) await archive.mentions("budget");
    }
    const [budget, climate, ...others] = await diffSnapshots(before, after);
    expect(others).toEqual([]);
    expect(budget).toMatchObject({
      search: "/mentions?query=budget",
      before: null,
      after: 6,
      removed: [],
      changed: [],
    });
    expect(climate).toMatchObject({ search: "/mentions?query=climate", before: 5, after: 6 });
    expect(climate?.added.map(({ id }) => id)).toEqual(["6", "7"]);
    expect(climate?.removed.map(({ id }) => id)).toEqual(["1"]);
    expect(climate?.changed.map(({ id, members }) => [id, members])).toEqual([["4", ["text"]]]);
    expect(
      (await diffSnapshots(after, after)).every(
        ({ added, removed, changed }) => added.length + removed.length + changed.length === 0,
      ),
    ).toBe(true);
  });

  it("keeps rows that share an id", async () => {
    const [before, after] = ["one", "two"].map((name) => join(root, name)) as [string, string];
    for (const dir of [before, after]) {
      const { archive } = await pagedArchive(
        {
          rows: 3,
          row: (number) => mention(7, { text: dir === after && number === 3 ? "NEW" : String(number) }),
        },
        { snapshot: { dir } },
      );
      await archive.mentions("climate", { maxItems: 100 });
    }
    const [climate] = await diffSnapshots(before, after);
    expect(climate).toMatchObject({ before: 3, after: 3, changed: [] });
    expect(climate?.added.map(({ text }) => text)).toEqual(["NEW"]);
    expect(climate?.removed.map(({ text }) => text)).toEqual(["3"]);
  });
});
