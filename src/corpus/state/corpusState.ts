import type { Definition } from "../definition/definition.js";
import { type Window, windowId } from "../definition/windows.js";
import { ServedColumns } from "./columns.js";
import { Database, openDatabase } from "./database.js";
import { sqlValue } from "./sqlText.js";

/** A window that has landed. */
export interface LandedWindow {
  readonly search: string;
  readonly span: string;
  /** See `Window.key`. */
  readonly key: string;
  /** First and last day, yyyy-mm-dd; null if not limited. */
  readonly mindate: string | null;
  readonly maxdate: string | null;
  /** Rows of the service; null if a part of the window was asked again since. */
  readonly rows: number | null;
  /** Why the rows are complete, but not shown to be; or null. */
  readonly reason: string | null;
  readonly requests: number;
  /** Days of the first and the last response, by the clock of the service. */
  readonly began: string;
  readonly retrieved: string;
  /** Rows without an id, and further rows with the id of another one. */
  readonly without_id: number;
  readonly repeated_ids: number;
  /** The round that asked for it last. */
  readonly round: number;
  /** The hash of its rows; null if they may be others. */
  readonly sha: string | null;
}

/** A round: what is asked from one refresh, or one build of what is missing, to the next. */
export interface Round {
  readonly round: number;
  /** The day on which it began, yyyy-mm-dd. */
  readonly day: string;
  readonly closed: boolean;
}

/** What a refresh asks again. */
export type AskedWindow = Pick<LandedWindow, "search" | "span" | "mindate" | "maxdate">;

/** The state of a corpus while this process has it open. */
export class CorpusState extends Database {
  readonly landed = new Map<string, LandedWindow>();
  /** Ids that one response had for several contents: they are numbered. */
  readonly repeated = new Set<string>();
  /** Mentions that this run has changed. */
  readonly changes = { added: 0, vanished: 0, returned: 0 };
  /** The last round; its number is 0 before the first. */
  round: Round = { round: 0, day: "", closed: true };
  asked: AskedWindow[] = [];
  columns!: ServedColumns;
  lookups!: Readonly<Record<"people" | "programs", ServedColumns>>;

  /** See {@link Database.open}. */
  static override async open(dir: string): Promise<CorpusState> {
    const state = new CorpusState(await openDatabase(dir));
    try {
      await state.load();
      return state;
    } catch (error) {
      state.close();
      throw error;
    }
  }

  /** Reads what is known of columns, windows and rounds. */
  override async load(): Promise<void> {
    this.columns = await ServedColumns.of(this, "mentions");
    const people = await ServedColumns.of(this, "people");
    this.lookups = { people, programs: await ServedColumns.of(this, "programs") };
    await this.loadWindows();
    this.round = (await this.one<Round | undefined>("from rounds order by round desc limit 1")) ?? this.round;
    this.asked = await this.rows<AskedWindow>("from asked");
    const numbered = await this.rows<{ id: string }>(
      "select distinct regexp_replace(id, '#\\d+$', '') as id from mentions where regexp_matches(id, '#\\d+$')",
    );
    for (const { id } of numbered) this.repeated.add(id);
  }

  async loadWindows(): Promise<void> {
    this.landed.clear();
    for (const window of await this.rows<LandedWindow>("from windows"))
      this.landed.set(windowId(window.search, window.span), window);
  }

  landingOf({ search, name }: Window): LandedWindow | undefined {
    return this.landed.get(windowId(search.id, name));
  }

  async meta(name: string): Promise<string | undefined> {
    return (await this.one<{ value: string }>(`select value from meta where name = ${sqlValue(name)}`))?.value;
  }

  /** How many rows the tables have. */
  counts(): Promise<Record<"mentions" | "hits" | "people" | "programs", number>> {
    const tables = ["mentions", "hits", "people", "programs"];
    return this.one(`select ${tables.map((table) => `(select count(*)::int from ${table}) as ${table}`).join(", ")}`);
  }
}

/** The ids of the searches of a definition. */
export function searchIds({ searches }: Pick<Definition, "searches">): ReadonlySet<string> {
  return new Set(searches.map(({ id }) => id));
}
