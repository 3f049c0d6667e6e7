/**
 * Runs commands of the docs like a user's shell. They use `curl`; where it is missing, a replacement based on Node's fetch is
 * used, so that the tests need nothing but Node.
 */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { tempFolder } from './temp-folder.ts';

export type Shell = (script: string) => { exitCode: number | null; output: string };

const CURL_STAND_IN = `#!${process.execPath}
const { values, positionals } = require('node:util').parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    include: { type: 'boolean', short: 'i' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true },
    data: { type: 'string', short: 'd' },
  },
});
const headers = Object.fromEntries((values.header ?? []).map((header) => header.split(/: (.*)/s)));
const method = values.request ?? (values.data === undefined ? 'GET' : 'POST');
fetch(positionals[0], { method, headers, body: values.data }).then(async (response) => {
  if (values.include) process.stdout.write('HTTP/1.1 ' + response.status + ' ' + response.statusText + '\\r\\n\\r\\n');
  process.stdout.write(await response.text());
});
`;

export async function shellWithCurl(): Promise<Shell> {
  const folder = await tempFolder();
  if (spawnSync('curl', ['--version']).error !== undefined) {
    await writeFile(path.join(folder, 'curl'), CURL_STAND_IN, { mode: 0o755 });
  }
  const env = { ...process.env, PATH: `${folder}${path.delimiter}${process.env.PATH}` };
  return (script) => {
    const run = spawnSync('sh', ['-c', script], { env, encoding: 'utf8', timeout: 120_000 });
    return { exitCode: run.status, output: `${run.stdout}${run.status === 0 ? '' : run.stderr}` };
  };
}
