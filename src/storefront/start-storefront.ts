/** Runs the projection of the storefront under one lease for all accounts. */
import { setTimeout as pause } from 'node:timers/promises';
import { LeasedLoop, type LeasedLoopOptions } from '../background/leased-loop.ts';
import { STOREFRONT_ACCOUNT, STOREFRONT_KIND } from '../store/port/storefront.ts';
import type { Store } from '../store/port.ts';
import { Projector, type ProjectorOptions } from './projector.ts';

export interface StorefrontOptions extends ProjectorOptions, Pick<LeasedLoopOptions, 'holder' | 'telemetry'> {
  readonly store: Store;
}

/** After a crash, another process continues within this time and a poll. */
const LEASE_MS = 3_000;
const POLL_MS = 500;
const RETRY_MS = 1_000;
/** Looks for new events this often. With several processes, only the one with the lease does. */
const LOOK_MS = 250;
/** The work stays announced, unless the disk was full at the start, or a backup without it was restored. */
const ANNOUNCE_INTERVAL_MS = 30_000;
/** Then the lease is returned, so that its row in the database shows a live process. */
const RUN_MS_MAX = 60_000;

export async function startStorefront(
  options: StorefrontOptions,
): Promise<{ close(wait_ms_max: number): Promise<void> }> {
  const { store, telemetry, holder } = options;
  const projector = new Projector(options);
  const closing = new AbortController();
  const announce = () =>
    store.work.announceWork(STOREFRONT_KIND, STOREFRONT_ACCOUNT, 0).catch((error: unknown) => {
      telemetry.observe('work_stalled', { kind: STOREFRONT_KIND, error });
    });
  await announce();
  const announcing = setInterval(announce, ANNOUNCE_INTERVAL_MS);
  const loop = new LeasedLoop({
    store: store.work,
    telemetry,
    holder,
    kind: STOREFRONT_KIND,
    lease_ms: LEASE_MS,
    poll_ms: POLL_MS,
    retry_ms: RETRY_MS,
    handler: async ({ signal: lost }) => {
      const signal = AbortSignal.any([lost, closing.signal]);
      const endMs = performance.now() + RUN_MS_MAX;
      while (!signal.aborted && performance.now() < endMs) {
        const hasWorked = await unlessStopped(projector.step(signal), signal);
        if (!hasWorked) await unlessStopped(pause(LOOK_MS, undefined, { signal }), signal);
      }
      return 0;
    },
  });
  return {
    async close(wait_ms_max) {
      clearInterval(announcing);
      closing.abort();
      await loop.close(wait_ms_max);
    },
  };
}

/** Resolves with undefined if the work failed because it was stopped. */
async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
