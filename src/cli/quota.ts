import { Command } from "commander";
import { tableLines } from "../util/tableLines.js";
import { printing } from "./print.js";

/** `archive-frames quota`: shows the requests sent with the key. */
export function quotaCommand(): Command {
  return new Command("quota")
    .description("show the requests of your key today and in the last seven days, by study (directory)")
    .option("--json", "print JSON")
    .action(printing(quota));
}

async function quota() {
  const { quota } = await import("../call/quota.js");
  const { studies, ...total } = quota();
  return {
    json: { ...total, studies },
    lines: tableLines([...studies, { study: "all", ...total }].map((row) => ({ ...row }))),
  };
}
