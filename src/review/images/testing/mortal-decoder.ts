/** Decoder process that hangs, crashes or uses too much memory if a file says so, and works otherwise. */
const eaten: Buffer[] = [];

process.stdin.on('data', (chunk: Buffer) => {
  if (chunk.includes('hang!')) for (;;);
  if (chunk.includes('die!!')) process.kill(process.pid, 'SIGSEGV');
  if (chunk.includes('eat!!')) eaten.push(Buffer.alloc(400_000_000, 1));
});

await import('../decoding/decoder-process.ts');
