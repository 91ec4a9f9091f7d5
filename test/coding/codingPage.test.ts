import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { codebook, codingPage, readCodes } from "../../src/coding/index.js";
import { pl } from "../../src/index.js";
import { contrastsOf, MIN_CONTRAST } from "../contrasts.js";
import { newFolders, temporaryFolder } from "../files/temporary.js";
import { CHROMIUM, newPage } from "../notebook/display/chromium.js";

const newFolder = newFolders(temporaryFolder());
const HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"> & \u202e \u2028 $& $1 ";
const sample = pl.DataFrame(
  Array.from({ length: 50 }, (_, at) => ({
    id: String(1000 + at),
    text: `PASSAGE ${at}: THE CLIMATE ACT COSTS. ${HOSTILE}`,
    person: `Speaker ${at} <b>`,
    party: "Secret Party",
    programid: Math.floor(at / 10),
    programTitle: "Senate Session",
    begintime: `2024-01-01T00:${String(at).padStart(2, "0")}:00Z`,
    link: at % 2 ? `https://archive.example/video/?c${at}` : "javascript:alert(1)",
  })),
);
const book = codebook(
  { stance: ["support", "oppose", "neither"], cost: "yes/no", note: "text" },
  { instructions: "Read <b>twice</b>." },
);

describe("codingPage", () => {
  it("gives every coder the shared passages and divides the others", async () => {
    const paths = await codingPage(sample, book, newFolder(), { coders: ["A", "B", "C"], overlap: 11, seed: 2 });
    const rows = paths.map((path) => passagesOf(path).map(({ row }) => row));
    expect(rows.map(({ length }) => length)).toEqual([24, 24, 24]);
    const shared = rows[0]?.filter((row) => rows.every((own) => own.includes(row)));
    expect(shared).toHaveLength(11);
    expect(new Set(rows.flat()).size).toBe(50);
  });

  it("orders the passages for each coder, the shared ones first", async () => {
    const paths = await codingPage(sample, book, newFolder(), { coders: ["A", "B"], overlap: 20 });
    const [a = [], b = []] = paths.map((path) => passagesOf(path).map(({ row }) => row));
    expect(a.slice(0, 20)).not.toEqual(b.slice(0, 20));
    expect(a.slice(0, 20).sort()).toEqual(b.slice(0, 20).sort());
    const again = await codingPage(sample, book, newFolder(), { coders: ["A"], overlap: 50 });
    const whole = await codingPage(sample, book, newFolder(), { coders: ["A"] });
    expect(passagesOf(whole[0] as string)).toEqual(passagesOf(again[0] as string));
  });

  it("hides what coders must not see in the file itself, and shows neighbors and search words", async () => {
    const folder = newFolder();
    const [path = ""] = await codingPage(sample, book, folder, {
      blind: ["person", "party"],
      context: 2,
      mark: "climate act",
    });
    const html = readFileSync(path, "utf8");
    expect(html).not.toMatch(/Secret Party|Speaker \d/);
    const passage = passagesOf(path).find(({ text }) => text.join("").startsWith("PASSAGE 11"));
    expect(passage?.before.map((text: string) => text.slice(0, 10))).toEqual(["PASSAGE 10"]);
    expect(passage?.after.map((text: string) => text.slice(0, 10))).toEqual(["PASSAGE 12", "PASSAGE 13"]);
    expect(passage?.text[1]).toBe("CLIMATE ACT");
  });

  it.each([
    [{ coders: [] }, /invalid coders/],
    [{ coders: ["../A"] }, /invalid coder/],
    [{ coders: ["A "] }, /invalid coder/],
    [{ coders: ["A", "a"] }, /Give every coder once/],
    [{ blind: ["speaker"] }, /invalid blind: "speaker". Give one of "person", "party", "program", "time"/],
    [{ overlp: 3 }, /Did you mean overlap/],
  ])("refuses %j", async (options, message) => {
    await expect(codingPage(sample, book, newFolder(), options as never)).rejects.toThrow(message);
  });
});

it("knows coders by names of any script, and refuses passages whose codes it could not read", async () => {
  const [coder = "", folder] = ["José अनीता".normalize("NFD"), newFolder()];
  const [path = ""] = await codingPage(sample, book, folder, { coders: [coder] });
  const row = passagesOf(path)[0]?.row;
  const line = `coder,codebook,row,stance,cost,note,coded_at\n${coder},${book.hash},${row},oppose,,,\n`;
  writeFileSync(join(folder, `${coder}.csv`), line);
  expect((await readCodes(folder, sample, book)).getColumn("coder").toArray()).toEqual([coder]);
  for (const name of ["stance", "coder"])
    await expect(codingPage(sample.withColumns(pl.lit("x").alias(name)), book, folder)).rejects.toThrow(
      `invalid variable: "${name}". The passages have a column of that name.`,
    );
});

function passagesOf(path: string) {
  const [, json = ""] =
    /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(readFileSync(path, "utf8")) ?? [];
  return JSON.parse(json).passages as { row: string; text: string[]; before: string[]; after: string[] }[];
}

describe.skipIf(CHROMIUM === undefined)("the coding page in a browser", () => {
  // On a busy machine Chromium loses what any page has stored in its first second, in two to four of a hundred reloads.
  it("codes 50 passages by keys, with a reload in the middle, and exports what readCodes reads", {
    retry: 2,
  }, async () => {
    const folder = newFolder();
    const [path = ""] = await codingPage(sample, book, folder, { coders: ["Ann"] });
    const { page, problems } = await opened(newPage(), path);
    for (let at = 0; at < 25; at++) await codeOne(page, at);
    expect(await page.textContent("#count")).toBe("25 of 50 coded");
    await page.reload();
    expect(await page.textContent("#count")).toBe("25 of 50 coded");
    for (let at = 25; at < 50; at++) await codeOne(page, at);
    expect(await page.textContent("#count")).toBe("50 of 50 coded");
    // Undo opens the last answer again, which 1 then gives.
    await page.keyboard.press("u");
    expect(await page.textContent("#count")).toBe("49 of 50 coded");
    await page.keyboard.press("1");
    await page.keyboard.press("n");
    await page.keyboard.type('=1+1; "quoted", twice');
    await page.keyboard.press("Escape");
    const file = join(folder, "Ann.csv");
    await exportTo(page, file);
    const codes = await readCodes(folder, sample, book);
    expect(codes.height).toBe(50);
    const order = passagesOf(path).map(({ row }) => row);
    const stance = new Map(codes.toRecords().map((code) => [code.row, code.stance]));
    expect(order.map((row) => stance.get(row))).toEqual(
      order.map((_row, at) => ["support", "oppose", "neither"][at % 3]),
    );
    expect(codes.getColumn("note").toArray().filter(Boolean)).toEqual(['=1+1; "quoted", twice']);
    expect(await page.title()).toBe("Coding · Ann");
    expect(problems).toEqual([]);

    // Another browser knows nothing, until the file is imported.
    const { page: fresh } = await opened(newPage(), path);
    expect(await fresh.textContent("#count")).toBe("0 of 50 coded");
    await fresh.setInputFiles("#import", file);
    await fresh.locator("#count", { hasText: /^50 of 50 coded$/ }).waitFor();
    const again = join(newFolder(), "Ann.csv");
    await exportTo(fresh, again);
    expect(readFileSync(again, "utf8")).toBe(readFileSync(file, "utf8"));
  });

  it("gives every control a role and a name, says what has changed, and follows the color scheme at 400 pixels", async () => {
    const [path = ""] = await codingPage(sample, book, newFolder(), { context: 1 });
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, problems } = await opened(newPage({ colorScheme, viewport: { width: 400, height: 800 } }), path);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(400);
      const controls = (await accessible(page)).filter(({ role }) => CONTROLS.has(role));
      expect(controls.map(({ role, name }) => `${role} ${name}`)).toEqual([
        "progressbar passages coded",
        "button Export codes",
        "button Import codes",
        // The details element; its control is the triangle.
        "group ",
        "combobox Show",
        "DisclosureTriangle Instructions and keys",
        "group stance",
        "group cost",
        "group note (optional)",
        ...["Previous", "Next", "Next open", "Undo"].map((name) => `button ${name}`),
        ...(passagesOf(path)[0]
          ?.text.join("")
          .match(/PASSAGE \d*[13579]:/)
          ? ["link watch the video"]
          : []),
        ...["support", "oppose", "neither", "yes", "no"].map((name) => `button ${name}`),
        "textbox note",
      ]);
      expect(await status(page)).toBe("Passage 1 of 50");
      await page.keyboard.press("1");
      await page.keyboard.press("2");
      expect(await status(page)).toBe("cost: no. 1 of 50 coded. ");
      const pressed = (await accessible(page)).filter((node) => node.pressed === "true");
      expect(pressed.map(({ name }) => name)).toEqual(["support", "no"]);
      await page.keyboard.press("ArrowRight");
      expect(await status(page)).toBe("Passage 2 of 50");
      expect(await page.getAttribute("#text", "aria-live")).toBe("polite");
      const { paper, texts } = await contrastsOf(page);
      expect(texts.length).toBeGreaterThan(20);
      expect(texts.filter(([, contrast]) => contrast < MIN_CONTRAST)).toEqual([]);
      expect(paper > 0.5).toBe(colorScheme === "light");
      expect(problems).toEqual([]);
      if (process.env.SCREENSHOTS)
        await page.screenshot({ path: join(process.env.SCREENSHOTS, `coding-${colorScheme}.png`), fullPage: true });
    }
  });

  it("tells a newcomer how to code 20 passages: what the page says is enough", async () => {
    const numbers = codebook({ topic: ["climate", "other"], certainty: "number", note: "text" });
    const [path = ""] = await codingPage(sample.head(20), numbers, newFolder(), { coders: ["Bo"] });
    const { page, problems } = await opened(newPage(), path);
    // The instructions are open. They say: click an answer, or press its number, go on with the arrow, export and send the file.
    const said = await page.innerText("#about");
    for (const words of [
      "click an answer",
      "arrow to the right",
      "saved in this browser",
      "Export codes",
      "send the file",
    ])
      expect(said).toContain(words);
    for (let at = 0; at < 20; at++) {
      expect(await page.innerText("#place")).toBe(`Passage ${at + 1} of 20`);
      if (at % 2 === 0) await page.getByRole("button", { name: "climate" }).click();
      else await page.keyboard.press("2");
      await page.getByRole("textbox", { name: "certainty" }).fill(at === 3 ? "much" : "0,5");
      await page.keyboard.press("Enter");
      if (at === 3) {
        expect(await page.innerText("#warning")).toBe("certainty: much is not a number.");
        await page.getByRole("textbox", { name: "certainty" }).fill("0.5");
        await page.keyboard.press("Enter");
      }
      expect(await page.innerText("#warning")).toBe("");
      if (at < 19) await page.keyboard.press("ArrowRight");
    }
    expect(await status(page)).toBe(
      "certainty: 0,5. 20 of 20 coded. Every passage is coded. Click “Export codes” and send Bo.csv.",
    );
    const file = join(newFolder(), "Bo.csv");
    await exportTo(page, file);
    const codes = await readCodes(file, sample.head(20), numbers);
    const order = new Map(passagesOf(path).map(({ row }, at) => [row, at]));
    for (const { row, topic, certainty } of codes.toRecords())
      expect([topic, certainty]).toEqual([(order.get(row as string) as number) % 2 === 0 ? "climate" : "other", 0.5]);
    expect(codes.height).toBe(20);
    // Undo goes back to the passage and the question of the last answer, and 0 clears it.
    await page.getByRole("button", { name: "Undo" }).click();
    expect(await page.textContent("#count")).toBe("19 of 20 coded");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("0");
    expect(await page.locator("[aria-pressed=true]").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("imports what is newer, says what is wrong by the rules of readCodes, and undoes all of it at once", async () => {
    const [path = ""] = await codingPage(sample, book, newFolder());
    const { page, problems } = await opened(newPage(), path);
    const [first, second, third, fourth, fifth] = passagesOf(path).map(({ row }) => row);
    await page.keyboard.press("1");
    const line = (row: string | undefined, stance: string, time: string) =>
      `A,${book.hash},${row},${stance},yes,"a ""note""",${time}`;
    const lines = [
      line(first, "oppose", "2020-01-01T00:00:00Z"),
      line(second, "Neither", "2020-01-01T00:00:00Z"),
      line(third, "perhaps", "2020-01-01T00:00:00Z"),
      line(fourth, "support", "27.11.2025"),
      `B,${book.hash},${fourth},support,yes,,`,
      // A time may be missing; any other counts for more.
      line(fifth, "support", ""),
      line(first, "oppose", ""),
      ",,,,,,",
      "",
    ];
    const file = join(newFolder(), "A.csv");
    writeFileSync(file, `\ufeffcoder,codebook,row,stance,cost,note,coded_at\r\n${lines.join("\r\n")}`);
    await page.setInputFiles("#import", file);
    const warning = page.locator("#warning", {
      hasText: "3 of 7 rows are of another coder, codebook or sample, or are wrong",
    });
    await warning.waitFor();
    expect(await warning.innerText()).toContain('stance: perhaps. Give one of "support", "oppose", "neither".');
    expect(await status(page)).toContain("2 passages imported. 2 have codes as new as these.");
    const values = async () =>
      JSON.parse((await page.evaluate("JSON.stringify(Object.values(localStorage))")) as string).flatMap(
        (text: string) => JSON.parse(text),
      ) as [string, Record<string, string>][];
    const codes = async () =>
      (await values()).flatMap(([row, { stance }]) => (stance === undefined ? [] : [[row, stance]]));
    expect(await codes()).toEqual([
      [first, "support"],
      [second, "neither"],
      [fifth, "support"],
    ]);
    await page.keyboard.press("u");
    expect(await codes()).toEqual([[first, "support"]]);
    expect(problems).toEqual([]);
  });

  it("goes on by Enter, and changes no answer by Enter, a click or a digit that was given before", async () => {
    const [path = ""] = await codingPage(sample, codebook({ stance: ["support", "oppose"] }), newFolder());
    const { page } = await opened(newPage(), path);
    await page.getByRole("button", { name: "support" }).click();
    await page.keyboard.press("Enter");
    expect(await page.innerText("#place")).toBe("Passage 2 of 50");
    expect(await page.textContent("#count")).toBe("1 of 50 coded");
    for (const key of ["2", "2", "Enter"]) await page.keyboard.press(key);
    expect(await page.innerText("#place")).toBe("Passage 3 of 50");
    expect(await page.textContent("#count")).toBe("2 of 50 coded");
    await page.keyboard.press("ArrowDown");
    for (const key of ["Space", "Space"]) await page.keyboard.press(key);
    expect(await page.textContent("#count")).toBe("3 of 50 coded");
    await page.getByRole("button", { name: "Undo" }).focus();
    await page.keyboard.press("Enter");
    expect(await page.textContent("#count")).toBe("2 of 50 coded");
  });
});

async function opened(opening: Promise<Page>, path: string) {
  const page = await opening;
  const problems: string[] = [];
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    if (!/^(?:file|blob):/.test(request.url())) problems.push(request.url());
  });
  await page.goto(pathToFileURL(path).href);
  return { page, problems };
}

/** A stance, then the cost, then on to the next open passage. */
async function codeOne(page: Page, at: number) {
  await page.keyboard.press(String((at % 3) + 1));
  await page.keyboard.press(String((at % 2) + 1));
  if (at < 49) await page.keyboard.press("o");
}

async function exportTo(page: Page, file: string) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#export")]);
  await download.saveAs(file);
}

const CONTROLS = new Set("button combobox textbox link group progressbar DisclosureTriangle checkbox radio".split(" "));

/** The nodes of Chromium's accessibility tree, with their names. */
async function accessible(page: Page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  return nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name, properties = [] }) => ({
      role: String(role?.value),
      name: String(name?.value ?? ""),
      pressed: properties.find((property) => property.name === "pressed")?.value.value as string | undefined,
    }));
}

/** What is announced to screen readers. */
function status(page: Page) {
  return page.textContent("[role=status]");
}
