// Runs a development tool of node_modules in the root of the checkout and returns its output.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export type ToolRun = { readonly exitCode: number | null; readonly output: string };

/** `script` is the tool's JavaScript entry, because the wrappers in `.bin` cannot be started on Windows without a shell. */
export async function runTool(script: string, args: readonly string[]): Promise<ToolRun> {
  const tool = spawn(process.execPath, [script, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [tool.stdout, tool.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [exitCode] = (await once(tool, 'close')) as [number | null];
  return { exitCode, output };
}
