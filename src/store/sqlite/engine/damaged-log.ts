/**
 * Finds transactions that a damaged write-ahead log has lost. SQLite reads the log up to the first bad checksum and silently
 * ignores the rest, because an interrupted write looks the same. This file can tell: a transaction is flushed before the next one
 * begins, so two commits after a bad frame are not one interrupted write. The header is flushed before the first frame, so frames
 * after an invalid header, which SQLite ignores, are lost as well.
 *
 * Such a log is copied before SQLite opens the database and later overwrites the log. See docs/decisions/0025-damaged-wal.md.
 */
import { createHash } from 'node:crypto';
import { closeSync, copyFileSync, existsSync, fstatSync, openSync, readdirSync, readSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { StoreUnavailableError } from '../../port/errors.ts';
import { reasonOf } from './data-dir.ts';
import { flush } from './draft-file.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The first four bytes of a log give the byte order of its checksums: the byte order of the machine that started the log. */
const MAGIC_BIG_ENDIAN = 0x377f0683;
const MAGIC_LITTLE_ENDIAN = 0x377f0682;
const PAGE_BYTES = Object.freeze({ min: 512, max: 65_536 });
/** A single commit may be a transaction that a power failure interrupted before it was acknowledged. */
const LOST_COMMITS_MIN = 2;

/** Call this before the database `file` is opened: the log of a running server changes while it is read. */
export function keepDamagedLog(file: string): void {
  const log = `${file}-wal`;
  if (!existsSync(log)) return;
  const damage = inspectLog(log);
  if (damage.lostCommits < LOST_COMMITS_MIN) return;
  const kept = `${log}.damaged-${damage.mark}`;
  if (existsSync(kept)) return;
  try {
    // The copy has a temporary name until it is complete: if it is interrupted, the next start repeats it.
    const draft = `${log}.copying`;
    copyFileSync(log, draft);
    flush(draft);
    renameSync(draft, kept);
    flush(dirname(kept));
  } catch (error) {
    throw new StoreUnavailableError(
      `The write-ahead log ${log} is damaged and cannot be copied (${reasonOf(error)}). Move it to another folder.`,
      { cause: error },
    );
  }
}

/** Lists copies of damaged logs, and notes about lost ones (log-mark.ts), which stay until the operator removes them. */
export function listDamagedLogs(file: string): string[] {
  const folder = dirname(file);
  if (!existsSync(folder)) return [];
  const kept = ['damaged', 'lost'].map((kind) => `${basename(file)}-wal.${kind}-`);
  const names = readdirSync(folder).filter((name) => kept.some((beginning) => name.startsWith(beginning)));
  return names.map((name) => join(folder, name));
}

interface LogDamage {
  /** Number of complete commits that SQLite ignores; infinite if the header does not tell where they are. */
  readonly lostCommits: number;
  /** Identifies the log: its salts, or a hash of its start when the header is invalid. */
  readonly mark: string;
}

export function inspectLog(log: string): LogDamage {
  const handle = openSync(log, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(handle, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return { lostCommits: 0, mark: '' };
    const magic = header.readUInt32BE(0);
    const page_bytes = header.readUInt32BE(8);
    if ((magic !== MAGIC_BIG_ENDIAN && magic !== MAGIC_LITTLE_ENDIAN) || !isPageSize(page_bytes)) {
      const start = Buffer.alloc(Math.min(fstatSync(handle).size, HEADER_BYTES + PAGE_BYTES.max));
      readSync(handle, start, 0, start.length, 0);
      const mark = createHash('sha256').update(start).digest('hex').slice(0, 16);
      return { lostCommits: start.length > HEADER_BYTES ? Number.POSITIVE_INFINITY : 0, mark };
    }
    const salts = header.subarray(16, 24);
    const sum = checksum(magic === MAGIC_BIG_ENDIAN);
    sum.add(header, 0, 24);
    let isWhole = sum.isAt(header, 24);
    let lostCommits = 0;
    const frame = Buffer.alloc(FRAME_HEADER_BYTES + page_bytes);
    for (let at = HEADER_BYTES; readSync(handle, frame, 0, frame.length, at) === frame.length; at += frame.length) {
      const isOfThisLog = frame.subarray(8, 16).equals(salts);
      if (isWhole) {
        sum.add(frame, 0, 8);
        sum.add(frame, FRAME_HEADER_BYTES, frame.length);
        isWhole = isOfThisLog && sum.isAt(frame, 16);
      }
      // No else: the bad frame itself may be a commit. Frames of the previous log have other salts.
      if (!isWhole && isOfThisLog && frame.readUInt32BE(4) > 0) lostCommits++;
    }
    return { lostCommits, mark: salts.toString('hex') };
  } finally {
    closeSync(handle);
  }
}

/** Checks the page size as SQLite does: a log with another page size is ignored. */
function isPageSize(bytes: number): boolean {
  return bytes >= PAGE_BYTES.min && bytes <= PAGE_BYTES.max && Number.isInteger(Math.log2(bytes));
}

/** The checksum of SQLite's file format: two sums that continue from frame to frame. */
function checksum(isBigEndian: boolean) {
  let first = 0;
  let second = 0;
  return {
    add(bytes: Buffer, from: number, to: number): void {
      const word = (at: number) => (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at));
      for (let at = from; at < to; at += 8) {
        first = (first + word(at) + second) >>> 0;
        second = (second + word(at + 4) + first) >>> 0;
      }
    },
    isAt: (bytes: Buffer, at: number) => bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second,
  };
}
