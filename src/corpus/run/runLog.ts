import { sum } from "../../util/sum.js";
import { VERSION } from "../../util/version.js";
import type { CorpusState } from "../state/corpusState.js";
import { sqlValue } from "../state/sqlText.js";
import type { Journals } from "./journals.js";

/** The number of responses in each journal when a run was recorded last. */
const JOURNALED = "journaled";

/** A run in the table of runs. It is there from the start, in case it is killed. */
export class RunLog {
  readonly #began = new Date().toISOString();

  constructor(
    readonly state: CorpusState,
    readonly verb: "plan" | "build" | "refresh",
    readonly journals: Journals,
  ) {}

  /** Begins a run. An earlier run without an end was killed: responses that its journals gained after its last record count as its requests. */
  async begin(): Promise<void> {
    const recorded = JSON.parse((await this.state.meta(JOURNALED)) ?? "{}") as Readonly<Record<string, number>>;
    const gained = sum(Object.entries(this.journals.counts).map(([file, count]) => count - (recorded[file] ?? 0)));
    await this.state.transaction(() =>
      this.state.run(
        `update runs set verdict = 'killed', requests = requests + ${gained} where ended is null and verdict is null;
         ${this.#journaled()}`,
      ),
    );
    await this.state.insert("runs", [{ began: this.#began, verb: this.verb, version: VERSION, requests: 0 }]);
  }

  /** @param members columns of the table */
  async record(members: Readonly<Record<string, string | number | null>>): Promise<void> {
    const values = Object.entries(members).map(([name, value]) => `${name} = ${sqlValue(value)}`);
    await this.state.run(
      `update runs set ${values.join(", ")} where began = ${sqlValue(this.#began)}::timestamptz and verb = '${this.verb}';
       ${this.#journaled()}`,
    );
  }

  #journaled(): string {
    return `insert or replace into meta values ('${JOURNALED}', ${sqlValue(JSON.stringify(this.journals.counts))})`;
  }

  end(members: Readonly<Record<string, string | number | null>>): Promise<void> {
    return this.record({ ended: new Date().toISOString(), ...members });
  }
}
