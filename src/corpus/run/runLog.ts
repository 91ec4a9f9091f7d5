import { VERSION } from "../../util/version.js";
import type { CorpusState } from "../state/corpusState.js";
import { literal } from "../state/sqlText.js";

/** A run in the table of runs: it is there from its begin, in case it is killed. */
export class RunLog {
  readonly #began = new Date().toISOString();

  constructor(
    readonly state: CorpusState,
    readonly verb: "plan" | "build" | "refresh",
  ) {}

  begin(): Promise<void> {
    return this.state.insert("runs", [{ began: this.#began, verb: this.verb, version: VERSION, requests: 0 }]);
  }

  /** @param members columns of the table */
  async record(members: Readonly<Record<string, string | number | null>>): Promise<void> {
    const values = Object.entries(members).map(([name, value]) => `${name} = ${literal(value)}`);
    await this.state.run(
      `update runs set ${values.join(", ")} where began = ${literal(this.#began)}::timestamptz and verb = '${this.verb}'`,
    );
  }

  end(members: Readonly<Record<string, string | number | null>>): Promise<void> {
    return this.record({ ended: new Date().toISOString(), ...members });
  }
}
