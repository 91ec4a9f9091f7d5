import { expect, it } from "vitest";
import { checkKey, checkNode, doctorCommand } from "../../src/cli/doctor.js";
import { temporaryFolder } from "../files/temporary.js";
import { callCommand } from "./callCommand.js";

it("names what it has checked, and finds no problem here", async () => {
  const { status, stdout } = await callCommand(temporaryFolder(), ["doctor"], { ARCHIVE_API_KEY: "canary-key" });
  expect(status).toBe(0);
  expect(stdout.match(/^(?:ok|-) +\S+/gm)?.map((line) => line.replace(/^\S+ +/, ""))).toEqual(
    "Node polars DuckDB vega danfo key kernel".split(" "),
  );
  expect(stdout).not.toContain("canary-key");
});

it("exits with 1 and repeats what an error of a library says to type", async () => {
  const lines: string[] = [];
  const { exitCode } = process;
  const { write } = process.stdout;
  process.stdout.write = (text: string | Uint8Array) => lines.push(String(text)) > 0;
  const check = () => Promise.reject(new Error("polars cannot be loaded. Type: npm install"));
  await doctorCommand([
    ["polars", "problem", check],
    ["danfo", "missing", check],
  ]).parseAsync([], { from: "user" });
  process.stdout.write = write;
  expect([lines.join(""), process.exitCode]).toEqual([
    "PROBLEM polars            polars cannot be loaded. Type: npm install\n" +
      "-       danfo             polars cannot be loaded. Type: npm install\n",
    1,
  ]);
  process.exitCode = exitCode;
});

it.each(["v18.19.0", "v20.18.1"])("Node %s is too old", (node) => {
  expect(() => checkNode(node)).toThrow("20.19");
});

it.each([{}, { ARCHIVE_API_KEY: " " }])("says where a key comes from: %j", (env) => {
  expect(() => checkKey(env)).toThrow(/ARCHIVE_API_KEY.*api@c-spanarchives\.org/);
});
