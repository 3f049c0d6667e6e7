/**
 * Runs commands of the docs like a user's shell. They use `curl`. If it is missing, a replacement based on Node's fetch is used, so that
 * the tests need only Node.
 */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { tempFolder } from './temp-folder.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

export type Shell = (script: string) => { exitCode: number | null; output: string };

const CURL_STAND_IN = `#!${process.execPath}
const { values, positionals } = require('node:util').parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    include: { type: 'boolean', short: 'i' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true },
    data: { type: 'string', short: 'd' },
    'upload-file': { type: 'string', short: 'T' },
    output: { type: 'string', short: 'o' },
    fail: { type: 'boolean', short: 'f' },
    retry: { type: 'string', default: '0' },
    'retry-delay': { type: 'string' },
    'retry-all-errors': { type: 'boolean' },
    'retry-connrefused': { type: 'boolean' },
  },
});
const fs = require('node:fs');
const file = values['upload-file'];
const headers = Object.fromEntries((values.header ?? []).map((header) => header.split(/: (.*)/s)));
const sent = values.data?.startsWith('@') ? fs.readFileSync(values.data === '@-' ? 0 : values.data.slice(1)) : values.data;
const body = file === undefined ? sent : fs.readFileSync(file);
const method = values.request ?? (file !== undefined ? 'PUT' : sent === undefined ? 'GET' : 'POST');
async function answerOf(retries) {
  const response = await fetch(positionals[0], { method, headers, body });
  if (response.ok || !values.fail) return response;
  if (retries === 0) process.exit(22);
  await require('node:timers/promises').setTimeout(1000);
  return answerOf(retries - 1);
}
answerOf(Number(values.retry)).then(async (response) => {
  if (values.include) {
    const lines = Array.from(response.headers, ([name, value]) => name + ': ' + value + '\\r\\n');
    process.stdout.write('HTTP/1.1 ' + response.status + ' ' + response.statusText + '\\r\\n' + lines.join('') + '\\r\\n');
  }
  const bytes = Buffer.from(await response.arrayBuffer());
  if (values.output === undefined) process.stdout.write(bytes);
  else fs.writeFileSync(values.output, bytes);
});
`;

/** Creates a folder for the PATH with `offerbook` and `npx offerbook` of this clone, its Node, and `curl` if the machine has none. */
export async function writeTools(): Promise<string> {
  const folder = await tempFolder();
  const node = `exec '${process.execPath}'`;
  const offerbook = `${node} '${path.join(ROOT, 'bin/offerbook.mjs')}' "$@"`;
  await writeTool(folder, 'node', `#!/bin/sh\n${node} "$@"\n`);
  await writeTool(folder, 'offerbook', `#!/bin/sh\n${offerbook}\n`);
  await writeTool(folder, 'npx', `#!/bin/sh\n[ "$1" = offerbook ] || exit 127\nshift\n${offerbook}\n`);
  if (spawnSync('curl', ['--version']).error !== undefined) await writeTool(folder, 'curl', CURL_STAND_IN);
  return folder;
}

function writeTool(folder: string, name: string, text: string): Promise<void> {
  return writeFile(path.join(folder, name), text, { mode: 0o755 });
}

export async function shellWithCurl(): Promise<Shell> {
  const env = { ...process.env, PATH: `${await writeTools()}${path.delimiter}${process.env.PATH}` };
  return (script) => {
    const run = spawnSync('sh', ['-c', script], { env, encoding: 'utf8', timeout: 120_000 });
    return { exitCode: run.status, output: `${run.stdout}${run.status === 0 ? '' : run.stderr}` };
  };
}
