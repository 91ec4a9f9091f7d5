import { describe, expect, it } from "vitest";
import { APIError, pl } from "../../src/index.js";
import { sampled } from "../scale.js";
import { errorOf, KEY } from "../service/helpers.js";
import { served } from "./clientTo.js";

const formats = ["dataframe", "json", "records", "csv"] as const;

it.each([
  ["an object of another kind", { error: "try again later", code: 17 }, "UNEXPECTED_BODY"],
  ["almost valid JSON", '{"id":01}', "BODY_NOT_JSON"],
  ["a control character", '{"id":1,"name":"a\u0001b"}', "BODY_NOT_JSON"],
])("a lookup that receives %s throws a typed error", async (_name, body, code) => {
  const { archive } = await served(() => ({ body }));
  for (const format of formats)
    for (const operation of ["person", "program"] as const) {
      const error = await errorOf(archive[operation](7, { format }), APIError);
      expect(error.code).toBe(code);
      if (code === "UNEXPECTED_BODY") expect(error.message).toContain(`none of the members of a ${operation}`);
    }
});

const PIECES = [
  ["of escapes", "\\n"],
  ["of one piece", "x"],
] as const;
it.each(sampled(PIECES))("a text of 20 MB %s beside a long number is read", async (_name, piece) => {
  const text = piece.repeat(20_000_000 / piece.length);
  const { archive } = await served(() => ({
    body: `{"bills":[{"id":12345678901234567,"link":"${text}"}]}`,
  }));
  const frame = await archive.bills("x");
  expect(frame.getColumn("id").cast(pl.Utf8).toArray()).toEqual(["12345678901234567"]);
  expect(String(frame.getColumn("link").get(0))).toHaveLength(JSON.parse(`"${text}"`).length);
});

describe("bodies that are still pages", () => {
  const bodies: Array<[string, string | Buffer]> = [
    ["with a byte-order mark", '\ufeff{"bills":[{"id":1}]}'],
    ["with line breaks everywhere", '{\r\n"bills" : [\n{ "id"\n: 1 }\n]\n}\n'],
    ["with the rows last", '{"total":1,"cursor":null,"bills":[{"id":1}]}'],
    ["with members that say nothing to us", '{"took":[1,{"a":"]}"}],"bills":[{"id":1}]}'],
    ["with the rows twice, as parsers take it", '{"bills":[{"id":7}],"bills":[{"id":1}]}'],
  ];
  it.each(bodies)("%s", async (_name, body) => {
    const { archive } = await served(() => ({ body }));
    const frame = await archive.bills("x");
    expect(frame.getColumn("id").toArray()).toEqual([1]);
  });

  it("with invalid UTF-8, which becomes the replacement character", async () => {
    const body = Buffer.concat([Buffer.from('{"bills":[{"id":1,"link":"a'), Buffer.from([0xff]), Buffer.from('b"}]}')]);
    const { archive } = await served(() => ({ body }));
    expect((await archive.bills("x")).getColumn("link").toArray()).toEqual(["a\ufffdb"]);
    expect(await archive.bills("x", { format: "records" })).toEqual([{ id: 1, link: "a\ufffdb" }]);
  });

  it("in UTF-8, whatever charset the header says", async () => {
    const headers = { "content-type": "application/json; charset=ISO-8859-1" };
    const { archive } = await served(() => ({ body: { bills: [{ id: 1, link: "a\u00e9b" }] }, headers }));
    expect((await archive.bills("x")).getColumn("link").toArray()).toEqual(["a\u00e9b"]);
  });
});

it("the response of an error contains the beginning of the body, but never the key", async () => {
  const { archive } = await served(() => ({ body: `<p>your key ${KEY}</p>${"x".repeat(5000)}` }));
  const error = await errorOf(archive.bills("x"), APIError);
  expect(error.response?.status).toBe(200);
  expect(error.response?.body).toMatch(/^<p>your key \[redacted\]/);
  expect(error.response?.body).toHaveLength(2000);
  expect(JSON.stringify([error.message, error.stack, String(error.cause), error])).not.toContain(KEY);
});
