import { rmSync } from "node:fs";
import type { ClientContext } from "../call/clientContext.js";
import { ArchiveError } from "../errors/index.js";
import { ResponseStore, type StoreOptions } from "../responses/store.js";
import { storedRequester } from "../responses/storedRequester.js";
import type { Requester } from "../service/http/requester.js";
import { escaped } from "../util/quoted.js";

/** An older unfinished save is resumed only with `resume: true`. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** The responses to an unfinished save. Each is stored before it is used, so that the same call resumes without repeating requests. */
export class UnfinishedSave {
  readonly requester: Requester;
  readonly #store: ResponseStore;

  /**
   * @param search what identifies the search
   * @param resume true: resume; false: start over; undefined: resume if less than a day old
   */
  constructor(client: ClientContext, dir: string, search: object, resume: boolean | undefined) {
    const source = JSON.stringify(search);
    const options: StoreOptions = { kind: "save", service: { source, baseUrl: client.baseUrl } };
    let store = new ResponseStore(dir, options);
    const latest = store.responses.reduce((newest, { receivedAt }) => (receivedAt > newest ? receivedAt : newest), "");
    if (latest !== "" && resume !== false && store.newest?.source !== source)
      throw otherSearch(dir, `${store.newest?.source}`);
    if (!(resume ?? Math.abs(Date.now() - Date.parse(latest)) <= MAX_AGE_MS)) {
      rmSync(dir, { recursive: true, force: true });
      store = new ResponseStore(dir, options);
    }
    this.#store = store;
    this.requester = storedRequester(store, client.requester, client.redact);
  }

  get pages(): number {
    // A resumed save has the pages of the earlier one, too.
    return new Set(this.#store.responses.map(({ get: request }) => request)).size;
  }

  close(): void {
    this.#store.isClosed = true;
  }
}

function otherSearch(path: string, search: string): ArchiveError {
  return new ArchiveError(`${path} contains an unfinished download of another search: ${escaped(search, 300)}.`, {
    code: "OTHER_SEARCH",
    hint: "Finish it with its own call, write to another path, or discard it with { resume: false }.",
    path,
  });
}
