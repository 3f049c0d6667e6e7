/** Splits a stream of bytes into lines of text, with a limit on each line to bound memory. */

/** Thrown or yielded for a refused line, with its problems as text. */
export class LineFault extends Error {
  override readonly name = 'LineFault';
  readonly texts: readonly string[];

  constructor(texts: readonly string[]) {
    super(texts.join('; '));
    this.texts = texts;
  }
}

/** A SKU with every field at its limit has about 4 MB. */
const LINE_BYTES_MAX = 16_777_216;

const NEWLINE = 0x0a;
const GZIP_START = [0x1f, 0x8b];
const PACKED_TEXT = 'the file is compressed with gzip. Decompress it first: "zcat <file> | offerbook <command> -"';

/**
 * Yields the lines of each chunk, without a byte order mark. A line that is not UTF-8 becomes a LineFault; so does a line that is too
 * long, which is also the last.
 */
export async function* textLines(
  chunks: AsyncIterable<Uint8Array>,
  onProgress: (bytes: number) => void = () => {},
): AsyncGenerator<readonly (string | LineFault)[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let isFirst = true;
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  let bytes = 0;
  const decoded = (parts: readonly Uint8Array[]): string | LineFault => {
    const [part] = parts.length === 1 ? parts : [Buffer.concat(parts)];
    const isAtStart = isFirst;
    isFirst = false;
    try {
      const line = decoder.decode(part);
      return isAtStart ? line.replace(/^\ufeff/, '') : line;
    } catch {
      return new LineFault([isAtStart && isPacked(part) ? PACKED_TEXT : 'must be UTF-8']);
    }
  };
  for await (const chunk of chunks) {
    bytes += chunk.length;
    const lines: (string | LineFault)[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(decoded([...rest, chunk.subarray(start, end)]));
      rest = [];
      restBytes = 0;
      start = end + 1;
    }
    rest.push(chunk.subarray(start));
    restBytes += chunk.length - start;
    if (restBytes > LINE_BYTES_MAX) {
      yield [...lines, new LineFault([`must have at most ${LINE_BYTES_MAX} bytes`])];
      return;
    }
    if (lines.length > 0) yield lines;
    onProgress(bytes);
  }
  if (restBytes > 0) yield [decoded(rest)];
}

function isPacked(bytes: Uint8Array | undefined): boolean {
  return GZIP_START.every((byte, index) => bytes?.[index] === byte);
}
