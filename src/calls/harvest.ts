import type { Engine, FrameTypes } from "../frames/engine.js";
import type { Account } from "../service/pages/account.js";

/**
 * What a walk over pages has brought so far: after a failure `error.partial`, and at any time the last one of a client,
 * `archive.lastHarvest()`.
 */
export interface Harvest<E extends Engine = Engine> {
  /** The rows as a frame, in the engine of the call. It is made when it is first looked at. */
  readonly frame: FrameTypes[E];
  readonly rows: number;
  readonly pages: number;
  /** Requests sent, repeated ones included. */
  readonly requests: number;
  /**
   * Where to go on from: `{ cursor }` in the next call. A page that was cut comes again from its beginning. Undefined where
   * nothing is left, where nothing came, where the first page was cut, or where the cursor goes in circles.
   */
  readonly cursor: string | undefined;
}

/** A harvest as the account stands now; `makeFrame` is called at most once. */
export function harvestOf(account: Account, makeFrame: () => FrameTypes[Engine]): Harvest {
  const { rows, pages, requests, cursor } = account;
  let frame: FrameTypes[Engine] | undefined;
  return {
    get frame() {
      frame ??= makeFrame();
      return frame;
    },
    rows,
    pages,
    requests,
    cursor,
  };
}
