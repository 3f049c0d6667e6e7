/** In charge of file systems that a test makes for itself: small ones, and ones that can only be read. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

/** Mounting needs Linux and its administrator; elsewhere the tests that need it are skipped, and say so. */
export const CANNOT_MOUNT: string | false = mountingFault();

function mountingFault(): string | false {
  if (process.platform !== 'linux') return 'this system has no tmpfs to mount';
  // In a namespace of its own, so that nothing is left behind.
  const tried = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', '/mnt']);
  return tried.status === 0 ? false : 'this user may not mount a file system';
}

export interface SmallDisk {
  readonly folder: string;
  /** Lets nobody write any more. */
  readonly makeReadOnly: () => void;
}

const mounted: string[] = [];

// Not before the last test of the file has ended: a server that still runs would write into the folder beneath.
after(async () => {
  for (const folder of mounted) {
    // Lazily: a process that a failed test left behind would keep it busy.
    run('umount', '--lazy', folder);
    await rmdir(folder);
  }
});

export async function smallDisk(size_mib: number): Promise<SmallDisk> {
  const folder = await mkdtemp(path.join(tmpdir(), 'offerbook-test-'));
  run('mount', '-t', 'tmpfs', '-o', `size=${size_mib}m,mode=0700`, 'tmpfs', folder);
  mounted.push(folder);
  return { folder, makeReadOnly: () => run('mount', '-o', 'remount,ro', folder) };
}

function run(command: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`);
}
