/** Small and read-only file systems for tests. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

/** Mounting needs root on Linux; elsewhere these tests are skipped with the reason. */
export const CANNOT_MOUNT: string | false = mountingFault();

function mountingFault(): string | false {
  if (process.platform !== 'linux') return 'this system has no tmpfs to mount';
  // Mounts in a separate namespace, so that nothing is left behind.
  const tried = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', '/mnt']);
  return tried.status === 0 ? false : 'this user may not mount a file system';
}

export interface SmallDisk {
  readonly folder: string;
  /** Makes the file system read-only. */
  readonly makeReadOnly: () => void;
}

const mounted: string[] = [];

// Unmounts after the last test of the file, because a running server would write into the folder beneath.
after(async () => {
  for (const folder of mounted) {
    // Lazy unmount, because a process left by a failed test would keep it busy.
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
