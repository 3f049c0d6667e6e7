/** Asks for a secret at a terminal without showing the typed text. */
import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';

/** Returns undefined after Ctrl+C or Ctrl+D. */
export async function askHidden(input: Readable, output: Writable, question: string): Promise<string | undefined> {
  output.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  const givenUp = new AbortController();
  lines.on('SIGINT', () => givenUp.abort());
  lines.on('close', () => givenUp.abort());
  try {
    return await lines.question('', { signal: givenUp.signal });
  } catch (error) {
    if (givenUp.signal.aborted) return undefined;
    throw error;
  } finally {
    lines.close();
    // The terminal does not show the typed line break either.
    output.write('\n');
  }
}
