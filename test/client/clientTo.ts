import { onTestFinished } from "vitest";
import { ArchiveClient, type ArchiveClientOptions, type Engine, type Format } from "../../src/index.js";
import { KEY } from "../service/helpers.js";
import { type Script, type ScriptedServer, startScriptedServer } from "../service/scriptedServer.js";

/** A client of a scripted server, without delays between retries. */
export function clientTo<F extends Format = "dataframe", E extends Engine = "polars">(
  server: { readonly baseUrl: string },
  options: ArchiveClientOptions<F, E> = {},
): ArchiveClient<F, E> {
  const all = { apiKey: KEY, baseUrl: server.baseUrl, backoffFactor: 0, ...options };
  return new ArchiveClient<F, E>(all as ArchiveClientOptions<F, E>);
}

/** A server with a script, or one that is being started, and a client of it: both are there until the test ends. */
export async function served<F extends Format = "dataframe", E extends Engine = "polars">(
  starting: Script | Promise<ScriptedServer>,
  options: ArchiveClientOptions<F, E> = {},
): Promise<{ server: ScriptedServer; archive: ArchiveClient<F, E> }> {
  const server = await (typeof starting === "function" ? startScriptedServer(starting) : starting);
  const archive = clientTo(server, options);
  onTestFinished(async () => {
    await archive.close();
    await server.close();
  });
  return { server, archive };
}

/** A mention as the service sends it. */
export function mention(id: number, more: object = {}): object {
  return {
    begintime: "2024-04-27T02:35:35Z",
    id: String(id),
    link: `https://example.org/${id}`,
    person: "Ann Example",
    programPublicId: "535139-1",
    programTitle: "Senate Session",
    text: "THE CLIMATE",
    length: 30,
    personid: 6153,
    programid: 535139,
    videoTypeId: 18,
    ...more,
  };
}

/** The query parameters of a request that the server received. */
export function queryOf(request: { readonly url: string } | undefined): Record<string, string> {
  return Object.fromEntries(new URL(request?.url ?? "", "http://x").searchParams);
}
