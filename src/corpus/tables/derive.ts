import type { Landing } from "../raw/landing.js";

/** What a derivation of tables has found. */
export interface TableChanges {
  readonly added: number;
  readonly changed: number;
  readonly vanished: number;
  readonly returned: number;
}

/** What has to be derived: a function of `raw/` and of the tables that are there. */
export interface Derivation {
  /** The months whose landings have changed: `year=2024/month=03`. */
  readonly months: readonly string[];
  readonly landings: readonly Landing[];
}

/** Finds the months whose landings have changed, and the mentions that are in several months. */
export declare function planDerivation(dir: string): Promise<Derivation>;

/** Derives `tables/mentions` and `tables/hits` of one month. The `raw/` files of all months that share mentions have to be there. */
export declare function deriveMonth(dir: string, derivation: Derivation, month: string): Promise<TableChanges>;

/** Records that all months were derived: `tables/state.json`. */
export declare function finishDerivation(dir: string, derivation: Derivation): void;
