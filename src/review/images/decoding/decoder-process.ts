/** Checks images in a separate process: a file that makes the decoder crash, hang or use too much memory does not end the server. */
import { writeFileSync } from 'node:fs';
import { checkImage, sampleOfImage } from '../check-image.ts';
import { IMAGE_LIMITS } from '../image-limits.ts';
import type { DecoderWork, FromDecoder, ToDecoder } from './decoder-messages.ts';

const MEMORY_INTERVAL_MS = 20;
/** Number of copies of the file in memory before the estimate is known: its chunks, the whole file, and those of the header readers. */
const HEADER_FILE_COPIES = 4;

const GARBAGE_BYTES = 1_000_000;

let chunks: Buffer[] = [];
let received_bytes = 0;
let asked: DecoderWork | undefined;
let granted = Promise.withResolvers<void>();
let memory_bytes = 0;

// If the system runs out of memory, it kills this process before the server.
if (process.platform === 'linux') goFirst();
// Terminals and systemd signal the whole process group; the server decides when its decoders end.
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

/** Bytes and message arrive on different channels, in any order. */
function checkOnceComplete(): void {
  if (asked === undefined || received_bytes < asked.file_bytes) return;
  const work = asked;
  const file = Buffer.concat(chunks);
  [chunks, received_bytes, asked] = [[], 0, undefined];
  void check(file, work);
}

async function check(file: Buffer, { memory_bytes_max, samples }: DecoderWork): Promise<void> {
  memory_bytes = HEADER_FILE_COPIES * file.length;
  // Heaps keep some memory between images. A process that keeps too much exceeds this limit and is replaced.
  idle_bytes = Math.min(process.memoryUsage.rss(), first_bytes + IMAGE_LIMITS.decoder_slack_bytes);
  const watch = setInterval(endIfOverrun, MEMORY_INTERVAL_MS);
  const answer: FromDecoder =
    samples === 'make'
      ? { kind: 'made', sample: await sampleOfImage(file, { memory_bytes_max, reserve }) }
      : { kind: 'checked', findings: await checkImage(file, { memory_bytes_max, reserve, samples }) };
  clearInterval(watch);
  tell(answer);
  // The file is the only large garbage. Until it is collected, after this stack has returned, it counts towards the
  // memory of the next image.
  if (file.length > GARBAGE_BYTES) setImmediate(() => globalThis.gc?.());
}

async function reserve(needed_bytes: number): Promise<void> {
  granted = Promise.withResolvers<void>();
  tell({ kind: 'needs', memory_bytes: needed_bytes });
  await granted.promise;
  memory_bytes = Math.max(memory_bytes, needed_bytes);
}

/** The estimate comes from the header, and files can be crafted to defeat it. */
function endIfOverrun(): void {
  const used_bytes = process.memoryUsage.rss() - idle_bytes;
  if (used_bytes <= memory_bytes + IMAGE_LIMITS.decoder_slack_bytes) return;
  tell({ kind: 'overran', memory_bytes: used_bytes }, () => process.kill(process.pid, 'SIGKILL'));
}

function goFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // A sandbox may forbid this. Then the kernel chooses.
  }
}

function tell(message: FromDecoder, onSent = () => {}): void {
  process.send?.(message, onSent);
}
