import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { withoutSettings } from "../archiveSettings.js";
import { temporaryFolder } from "../files/temporary.js";
import { runProcess } from "../runProcess.js";
import { FULL } from "../scale.js";
import { ENTRY, installSpec } from "./kernelClient.js";

/** A Python that has Jupyter's own client. */
const python = ["/usr/bin/python3", "python3"].find(
  (command) => spawnSync(command, ["-c", "import jupyter_client"]).status === 0,
);

// Skipped without Jupyter; prompts.test.ts and protocol.test.ts cover the same messages.
describe.skipIf(python === undefined)("Jupyter's own client", () => {
  const folder = temporaryFolder();
  const data = join(folder, "data");
  installSpec(data, ENTRY);

  async function python3(file: string) {
    const script = fileURLToPath(new URL(file, import.meta.url));
    const env = {
      ...withoutSettings(),
      JUPYTER_DATA_DIR: join(data, "share/jupyter"),
      HOME: folder,
      XDG_STATE_HOME: "",
    };
    const { status, stdout, stderr } = await runProcess(python as string, [script], { cwd: folder, env });
    expect(status, stderr).toBe(0);
    return { stdout, stderr };
  }

  // In `npm test`, the scene below: each test of Jupyter's starts a kernel.
  it.skipIf(!FULL || spawnSync(python ?? "python3", ["-c", "import jupyter_kernel_test"]).status !== 0)(
    "and its tests of kernels are satisfied, but for history and the pager",
    async () => {
      const { stderr } = await python3("./conformance.py");
      const skipped = stderr.split("\n").filter((line) => /\.\.\. skipped/.test(line));
      const names = new Set(skipped.map((line) => /test_\w+/.exec(line)?.[0]));
      expect(names).toEqual(new Set(["test_history", "test_pager"]));
      expect(stderr).toMatch(/^OK /m);
    },
  );

  it("answers prompts, and no secret comes back in any message", async () => {
    const { requests, values, leaks } = JSON.parse((await python3("./jupyterClient.py")).stdout);
    const prompts = ["first: ", "second? ", "ARCHIVE_API_KEY: ", "ARCHIVE_API_KEY: ", "never: ", "again: "];
    expect(requests).toEqual(prompts.map((prompt) => ({ prompt, password: true })));
    expect(leaks).toEqual([]);
    expect(values).toMatchObject({
      typed: "6",
      length: "19",
      value: "[redacted]",
      printed: "[redacted]\n",
      thrown: "no such key: [redacted]",
      refused: expect.stringContaining("connection refused"),
      interrupted: "The cell was interrupted.",
      after: "3",
      notAllowed:
        'Nobody can answer the prompt "ARCHIVE_API_KEY" here. Run the cell in Jupyter, or set the environment variable ARCHIVE_API_KEY and write process.env.ARCHIVE_API_KEY instead.',
      notNamed: expect.stringContaining("MY_VALUE"),
      tooltip: { data: { "text/plain": "key: string" } },
    });
    expect(values.table).toContain("Bearer [redacted]");
    expect(values.completion).toContain("key");
  });
});
