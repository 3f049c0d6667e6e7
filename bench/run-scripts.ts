/** Runs scripts one after the other, and prints how long each took. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A script that fails does not end the others. */
export async function runScript(script: string, args: readonly string[]): Promise<void> {
  const startMs = performance.now();
  const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  console.log(`\n${script}: ${((performance.now() - startMs) / 1000).toFixed(0)} s\n`);
  if (code === 0) return;
  console.error(`${script} failed.`);
  process.exitCode = 1;
}
