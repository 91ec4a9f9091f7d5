/** The variables that the key is read from: the first that is set. C-SPAN's own Python client reads the second. */
export const KEY_VARIABLES = ["ARCHIVE_API_KEY", "CSPAN_API_KEY"] as const;

/** The key in the environment, trimmed, and its variable. An empty variable counts as unset. */
export function environmentKey(env: NodeJS.ProcessEnv): { variable: string; key: string } | undefined {
  const variable = KEY_VARIABLES.find((name) => env[name]?.trim());
  return variable && { variable, key: (env[variable] as string).trim() };
}
