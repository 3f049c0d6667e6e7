/** Reads a small file into memory; refuses a file larger than the limit. */
import type { SentFile } from './files/take-upload.ts';

/** Returns the bytes in a separate buffer, which can be transferred to another thread. */
export async function collectBytes(
  { announcedBytes = 0, chunks }: SentFile,
  bytes_max: number,
): Promise<Uint8Array<ArrayBuffer> | 'too_large'> {
  if (announcedBytes > bytes_max) return 'too_large';
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > bytes_max) return 'too_large';
    parts.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
