/** Builds curl commands that people paste into a terminal. */

/** The command uses the token in `$TOKEN`. A body of `@file` is read from the file. */
export function curlCommand(method: string, url: string, body?: string): string {
  const start = method === 'GET' ? 'curl' : `curl -X ${method}`;
  const command = `${start} ${quoted(url)} -H "Authorization: Bearer $TOKEN"`;
  return body === undefined ? command : `${command} \\\n  -H 'Content-Type: application/json' -d ${quoted(body)}`;
}

/** Quotes a text for the shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
