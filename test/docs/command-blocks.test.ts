/**
 * Tests that every command of the docs works as pasted, page by page, on one demo server, and prints what the page shows. A block
 * that a test cannot run says why in a comment: see test/harness/doc-blocks.ts.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertAnswer, type Block, blocksOf, isCommands } from '../harness/doc-blocks.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { writeTools } from '../harness/shell.ts';
import { tempFolder } from '../harness/temp-folder.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SHOWN_URL = 'http://127.0.0.1:8080';
const SHOWN_IMAGES = 'http://127.0.0.1:8081';
/** Far more time than a page takes. */
const PAGE_MS_MAX = 300_000;
/** Pages for operators whose commands are checked by name (operating.test.ts, deploy.test.ts). */
const NAMED_ONLY = ['operating.md', 'deploy.md'];

/** Runs these pages separately, because other pages would write to the account at the same time. */
const SHOWS_ALL_CHANGES = ['events.md'];

const PAGES = globSync(['README.md', 'docs/**/*.md'], { cwd: ROOT, exclude: ['docs/decisions/**'] })
  .filter((file) => !NAMED_ONLY.includes(path.basename(file)))
  .sort()
  .map((file) => ({ file, blocks: blocksOf(readFileSync(path.join(ROOT, file), 'utf8')) }))
  .filter(({ blocks }) => blocks.some(isCommands));

/** A page may use the programs of another page, which it names. */
const PROGRAMS = PAGES.flatMap(({ blocks }) => blocks).filter(({ mark }) => mark === 'file');

const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0;

describe('commands of the docs', { concurrency: 2 }, () => {
  testPages(PAGES.filter(({ file }) => !SHOWS_ALL_CHANGES.includes(path.basename(file))));
});

describe('commands of pages that show every change of the account', () => {
  testPages(PAGES.filter(({ file }) => SHOWS_ALL_CHANGES.includes(path.basename(file))));
});

function testPages(pages: typeof PAGES): void {
  let server: ServeProcess;
  let dataDir = '';
  let tools = '';
  let spelled: (text: string) => string;

  before(async () => {
    dataDir = await tempFolder();
    server = await startServeProcess({ DATA_DIR: dataDir, IMAGE_CHECK: 'on', DEMO_OFFERS: 'on' });
    const images = /^ +(http:\S+)\/mug\.jpg$/m.exec(server.output())?.[1] ?? '';
    spelled = (text) => text.replaceAll(SHOWN_URL, server.url).replaceAll(SHOWN_IMAGES, images);
    tools = await writeTools();
  });
  after(() => server.stop());

  for (const { file, blocks } of pages) {
    it(file, async () => {
      const folder = await mkdtemp(path.join(await tempFolder(), 'page-'));
      for (const { detail, text } of [...PROGRAMS, ...blocks.filter(({ mark }) => mark === 'file')]) {
        await writeFile(path.join(folder, detail), spelled(`${text}\n`));
      }
      const commands = blocks.filter((block) => isCommands(block) && block.mark === undefined && canRun(block));
      const answers = await runInOneShell(commands, folder);
      for (const [place, block] of commands.entries()) {
        const next = blocks[blocks.indexOf(block) + 1];
        if (next?.mark !== 'answer') continue;
        assertAnswer({ ...next, text: spelled(next.text) }, answers[place] ?? '');
      }
    });
  }

  /** Runs all blocks in one shell, as if pasted. A separator line between blocks splits the output. */
  async function runInOneShell(commands: readonly Block[], folder: string): Promise<string[]> {
    const script = commands.map(({ text }) => `${spelled(text)}\necho '=next='\n`).join('');
    const child = spawn('sh', ['-e', '-c', script], {
      cwd: folder,
      env: {
        ...process.env,
        PATH: `${tools}${path.delimiter}${process.env.PATH}`,
        DATA_DIR: dataDir,
        PORT: new URL(server.url).port,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: PAGE_MS_MAX,
      killSignal: 'SIGKILL',
    });
    let output = '';
    let faults = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      faults += text;
    });
    const [exitCode] = (await once(child, 'close')) as [number | null];
    const outputs = output.split('=next=\n');
    const failed = commands[outputs.length - 1];
    assert.equal(exitCode, 0, `the block at line ${failed?.line} ended with ${exitCode}:\n${outputs.at(-1)}${faults}`);
    return outputs;
  }
}

function canRun({ text }: Block): boolean {
  return HAS_PYTHON || !text.startsWith('python3 ');
}

describe('blocks of the docs', () => {
  it('no two pages save different files under the same name', () => {
    assert.equal(new Set(PROGRAMS.map(({ detail }) => detail)).size, PROGRAMS.length);
  });

  for (const { file, blocks } of PAGES) {
    it(`${file}: file, answer and reason comments are above the right kind of block`, () => {
      for (const [place, { line, language, mark, detail }] of blocks.entries()) {
        const where = `${file}, line ${line}`;
        if (mark === 'not run') assert.ok(detail.length > 5, `${where}: the comment must say why it is not run`);
        if (mark === 'file') assert.match(detail, /^[\w.-]+$/, where);
        const before = blocks[place - 1];
        if (mark === 'answer')
          assert.ok(before !== undefined && isCommands(before) && before.mark === undefined, where);
        if (['ts', 'python'].includes(language)) {
          assert.ok(mark === 'file' || mark === 'not run', `${where}: a program is saved and run, or says why not`);
        }
      }
    });
  }
});
