/** Reads from and writes to the terminal. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from './usage.ts';

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints a message for people, on standard error, so that it never mixes with output that programs read. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Escapes control characters, because a terminal would execute them. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Quotes text as a shell argument, for a command that is suggested. */
export function quoted(text: string): string {
  const shown = printable(text);
  return /^[\w./@%+-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows.map((row) => row.map(printable))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Asks a question. With `hidden`, the typed text is not shown. */
export async function ask(question: string, { hidden = false } = {}): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const output = new Writable({
    write: (chunk, _encoding, done) => (hidden ? done() : process.stderr.write(chunk, done)),
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  if (hidden) process.stderr.write(question);
  // Ctrl+C must interrupt the command, but a terminal that is read key by key sends no signal.
  lines.once('SIGINT', () => {
    if (!hidden) process.stderr.write('\n');
    process.emit('SIGINT', 'SIGINT');
    lines.close();
  });
  try {
    // Ctrl+D closes the prompt without an answer.
    return await new Promise<string>((resolve) => lines.once('close', () => resolve('')).question(question, resolve));
  } finally {
    lines.close();
    if (hidden) process.stderr.write('\n');
  }
}

/** Opens a file, or standard input for "-". The chunks of a file, whose `bytes` are known, can be read several times. */
export async function openFile(
  file: string,
): Promise<{ readonly chunks: AsyncIterable<Uint8Array>; readonly bytes?: number }> {
  if (file === '-') return { chunks: process.stdin };
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `${file} cannot be read: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}.`,
    );
  });
  if (found.isDirectory()) throw new UsageError(`${file} cannot be read: it is a folder.`);
  const chunks = { [Symbol.asyncIterator]: () => createReadStream(file)[Symbol.asyncIterator]() };
  return { chunks, ...(found.isFile() ? { bytes: found.size } : {}) };
}

export async function readText(file: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of (await openFile(file)).chunks) parts.push(chunk);
  return Buffer.concat(parts).toString('utf8');
}

const SHOW_MS = 200;

/** Shows a line that changes in place, on a terminal only. */
export function progress(): { show(text: string): void; end(): void } {
  let shownMs = 0;
  return {
    show(text) {
      if (!process.stderr.isTTY || performance.now() - shownMs < SHOW_MS) return;
      shownMs = performance.now();
      process.stderr.write(`\r\u001b[K${text}`);
    },
    end() {
      if (shownMs > 0) process.stderr.write('\r\u001b[K');
    },
  };
}
