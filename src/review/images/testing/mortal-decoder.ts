/** A decoder process that hangs, crashes or eats memory where a file says so, and otherwise works. */
const eaten: Buffer[] = [];

process.stdin.on('data', (chunk: Buffer) => {
  if (chunk.includes('hang!')) for (;;);
  if (chunk.includes('die!!')) process.kill(process.pid, 'SIGSEGV');
  if (chunk.includes('eat!!')) eaten.push(Buffer.alloc(400_000_000, 1));
});

await import('../decoding/decoder-process.ts');
