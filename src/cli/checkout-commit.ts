/** Finds the commit of the git checkout that the program runs from, without running git. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Returns the first characters of the commit; undefined outside a checkout. */
export function checkoutCommit(root: string): string | undefined {
  const folder = gitFolder(root);
  const head = read(folder, 'HEAD');
  const [, ref] = /^ref: (\S+)/.exec(head) ?? [];
  const commit = ref === undefined ? head : commitOf(path.resolve(folder, read(folder, 'commondir')), ref);
  return /^[0-9a-f]{40}/.exec(commit)?.[0].slice(0, 12);
}

/** Returns the git folder. In a worktree, `.git` is a file that names it. */
function gitFolder(root: string): string {
  const [, folder] = /^gitdir: (.+)/.exec(read(root, '.git')) ?? [];
  return path.resolve(root, folder ?? '.git');
}

function commitOf(folder: string, ref: string): string {
  const packed = () => read(folder, 'packed-refs').split('\n');
  return read(folder, ref) || (packed().find((line) => line.endsWith(` ${ref}`)) ?? '');
}

function read(folder: string, name: string): string {
  try {
    return readFileSync(path.join(folder, name), 'utf8').trim();
  } catch {
    return '';
  }
}
