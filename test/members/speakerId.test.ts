import { expect, test } from "vitest";
import { isUnidentified, speakerId } from "../../src/members/speakerId.js";

test.each([
  [6153n, "6153"],
  [" 6153 ", "6153"],
  [9007199254740993n, "9007199254740993"],
  [null, null],
  [Number.NaN, null],
  [1.5, null],
  [0, null],
  [-1n, null],
  ["0", null],
  ["", null],
  [999999n, null],
  [" 999999", null],
  [9999990, "9999990"],
])("the speaker of %o is %o", (personid, id) => {
  expect(speakerId(personid)).toBe(id);
  expect(isUnidentified(personid)).toBe(/^9{6}$/.test(String(personid).trim()));
});
