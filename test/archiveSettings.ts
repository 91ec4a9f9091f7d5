import { vi } from "vitest";

/** The variables that settings of an archive are read from. */
const NAMES = ["ARCHIVE_API_KEY", "CSPAN_API_KEY", "ARCHIVE_BASE_URL", "ARCHIVE_SNAPSHOT", "ARCHIVE_SNAPSHOT_MODE"];

/** The environment without settings of an archive, for another process. */
export function withoutSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !NAMES.includes(name)));
}

/** Sets these settings of an archive in this process and no others, until `vi.unstubAllEnvs()`. */
export function stubSettings(settings: Readonly<Record<string, string | undefined>> = {}): void {
  for (const name of NAMES) vi.stubEnv(name, settings[name]);
}

/** The settings of a client of a test server. */
export function settingsOf(server: { readonly baseUrl: string; readonly apiKey?: string }) {
  return { ARCHIVE_BASE_URL: server.baseUrl, ARCHIVE_API_KEY: server.apiKey ?? "test-key" };
}
