/** An archive that is running in this process. */
export interface EmbeddedArchive extends AsyncDisposable {
  /** Where it answers, e.g. "http://127.0.0.1:49152/2.0". */
  readonly baseUrl: string;
  /** The key that it accepts. */
  readonly apiKey: string;
  /** The number that decides what it holds. */
  readonly seed: number;
  /** How many requests it has answered so far, whatever the answer. */
  readonly requests: number;
  /** Lets the process end although the archive is still running. Without this call the archive keeps it alive. */
  unref(): void;
  /** Ends it at once, open connections and pending answers included; a second call changes nothing. */
  close(): Promise<void>;
}
