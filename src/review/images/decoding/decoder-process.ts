/**
 * Checks images in a process of its own, one at a time. Whatever a file does to a decoder (crash, hang, eat memory) ends this
 * process and not the server.
 */
import { writeFileSync } from 'node:fs';
import { checkImage } from '../check-image.ts';
import { IMAGE_LIMITS } from '../image-limits.ts';
import type { FromDecoder, ToDecoder } from './decoder-messages.ts';

const MEMORY_INTERVAL_MS = 20;
/** Before it is known what an image takes: the file in pieces, as a whole, and with the copies that header readers make. */
const HEADER_FILE_COPIES = 4;

const GARBAGE_BYTES = 1_000_000;

let chunks: Buffer[] = [];
let received_bytes = 0;
let asked: Extract<ToDecoder, { kind: 'check' }> | undefined;
let granted = Promise.withResolvers<void>();
let memory_bytes = 0;

// When the system runs out of memory, this process goes before the server does.
if (process.platform === 'linux') goFirst();
// A terminal and systemd signal the whole group. The server decides when its decoders end.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// A normal exit would wait for the decoder's thread, which may hang.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (message: ToDecoder) => {
  if (message.kind === 'granted') return granted.resolve();
  asked = message;
  checkOnceComplete();
});
process.stdin.on('data', (chunk: Buffer) => {
  chunks.push(chunk);
  received_bytes += chunk.length;
  checkOnceComplete();
});
const first_bytes = process.memoryUsage.rss();
let idle_bytes = first_bytes;
tell({ kind: 'ready' });

/** Bytes and message come by different ways, in any order. */
function checkOnceComplete(): void {
  if (asked === undefined || received_bytes < asked.file_bytes) return;
  const { memory_bytes_max } = asked;
  const file = Buffer.concat(chunks);
  [chunks, received_bytes, asked] = [[], 0, undefined];
  void check(file, memory_bytes_max);
}

async function check(file: Buffer, memory_bytes_max: number): Promise<void> {
  memory_bytes = HEADER_FILE_COPIES * file.length;
  // Heaps keep some memory between images. A process that keeps much of it ends by this limit, and is replaced.
  idle_bytes = Math.min(process.memoryUsage.rss(), first_bytes + IMAGE_LIMITS.decoder_slack_bytes);
  const watch = setInterval(endIfOverrun, MEMORY_INTERVAL_MS);
  const findings = await checkImage(file, { memory_bytes_max, reserve });
  clearInterval(watch);
  tell({ kind: 'checked', findings });
  // Other garbage is small; a file counts as memory of the next image until it is collected, behind this stack.
  if (file.length > GARBAGE_BYTES) setImmediate(() => globalThis.gc?.());
}

async function reserve(needed_bytes: number): Promise<void> {
  granted = Promise.withResolvers<void>();
  tell({ kind: 'needs', memory_bytes: needed_bytes });
  await granted.promise;
  memory_bytes = Math.max(memory_bytes, needed_bytes);
}

/** The estimate is made from the header, and files may be made to defeat it. */
function endIfOverrun(): void {
  const used_bytes = process.memoryUsage.rss() - idle_bytes;
  if (used_bytes <= memory_bytes + IMAGE_LIMITS.decoder_slack_bytes) return;
  tell({ kind: 'overran', memory_bytes: used_bytes }, () => process.kill(process.pid, 'SIGKILL'));
}

function goFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // A sandbox may forbid it. Then the kernel chooses, as it would without this.
  }
}

function tell(message: FromDecoder, onSent = () => {}): void {
  process.send?.(message, onSent);
}
