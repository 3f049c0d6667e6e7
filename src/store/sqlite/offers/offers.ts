/** Composes offers on SQLite: reads by key on the calling thread, lists on the reader thread, writes on the writer thread. */
import type { Author } from '../../../domain/author.ts';
import type { KeyedRequest } from '../../../domain/precondition.ts';
import { KeyNotStoredError } from '../../port/errors.ts';
import type { OfferStore, PartsOutcome, SkuKey } from '../../port/offers.ts';
import { methodsOf, type RunCommand } from '../../shared/aggregates.ts';
import type { DiskShares } from '../engine/disk-shares.ts';
import { storeError } from '../engine/engine.ts';
import type { ThreadClient } from '../threads/thread-client.ts';
import type { TickSnapshot } from '../threads/tick-snapshot.ts';
import type { WriterService } from '../threads/writer-service.ts';
import type { OfferReads } from './offer-reads.ts';
import { type PackedRow, packed } from './offer-writes.ts';

export function offersOn(
  run: RunCommand,
  reads: OfferReads,
  writer: ThreadClient<WriterService>,
  shares: DiskShares,
): OfferStore {
  const methods = writer.methods(['write', 'writeParts', 'writeAgain', 'writeWithKey']);
  const { write, writeParts, writeAgain } = methods;

  async function keyed(
    accountId: number,
    nowMs: number,
    by: Author,
    row: PackedRow,
    { key, fingerprint, answer }: KeyedRequest,
  ): Promise<PartsOutcome> {
    const outcome = await methods.writeWithKey(accountId, nowMs, by, key, fingerprint, answer, ...row);
    if (outcome === 'not_keyed') throw new KeyNotStoredError('The key is taken, or the write was refused.');
    return outcome;
  }

  return {
    ...methodsOf('offers', run),
    ...reads,
    write({ accountId, by }, parts, nowMs, conditions, scope = 'part') {
      shares.admit(accountId, parts);
      const [first, ...others] = parts;
      if (first === undefined) throw new Error('A write has at least one part.');
      if (conditions?.firstRunNumber !== undefined) {
        return writeAgain(accountId, nowMs, by, parts.map(packed), conditions.firstRunNumber);
      }
      if (conditions?.keyed !== undefined) return keyed(accountId, nowMs, by, packed(first), conditions.keyed);
      const isAlone = others.length === 0 && conditions === undefined && scope === 'part';
      if (isAlone) return write(accountId, nowMs, by, ...packed(first));
      return writeParts(accountId, nowMs, by, parts.map(packed), conditions ?? null, scope);
    },
  };
}

/**
 * Reads of one event loop tick share a snapshot. They return synchronously and throw synchronously. Each takes the key as its only
 * argument.
 */
export function withinSnapshot(snapshot: Pick<TickSnapshot, 'enter'>, reads: OfferReads): OfferReads {
  const methods = Object.entries<(key: SkuKey) => unknown>(reads).map(([name, read]) => {
    const checked = (key: SkuKey) => {
      try {
        snapshot.enter();
        return read(key);
      } catch (error) {
        throw storeError(error);
      }
    };
    return [name, checked];
  });
  return Object.fromEntries(methods);
}
