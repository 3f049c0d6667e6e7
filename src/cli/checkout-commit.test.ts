/** Tests the commit of a version with hand-written git folders. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { checkoutCommit } from './completion.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const OTHER = 'f'.repeat(40);

const CHECKOUTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a branch': { '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': `${COMMIT}\n` },
  'a packed branch': {
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/packed-refs': `# pack-refs\n${OTHER} refs/heads/a/refs/heads/main\n${COMMIT} refs/heads/main\n`,
  },
  'a detached head': { '.git/HEAD': `${COMMIT}\n` },
  'a worktree': {
    '.git': 'gitdir: repository/worktrees/one\n',
    'repository/worktrees/one/HEAD': 'ref: refs/heads/topic\n',
    'repository/worktrees/one/commondir': '../..\n',
    'repository/refs/heads/topic': `${COMMIT}\n`,
  },
};

for (const [name, files] of Object.entries(CHECKOUTS)) {
  it(`reads the commit of ${name}`, (t) => {
    assert.equal(checkoutCommit(folderWith(t, files)), '0123456789ab');
  });
}

for (const [name, files] of Object.entries({
  'a folder without git': {},
  'a branch without a commit': { '.git/HEAD': 'ref: refs/heads/main\n' },
  'a damaged head': { '.git/HEAD': 'garbage\n' },
})) {
  it(`finds no commit in ${name}`, (t) => {
    assert.equal(checkoutCommit(folderWith(t, files)), undefined);
  });
}

function folderWith(t: { after(fn: () => void): void }, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-checkout-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}
