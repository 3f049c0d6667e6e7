/** Drops events that are past their retention, and numbers events that no reader has asked for, in slices of a few milliseconds. */
import { LIMITS } from '../domain/limits.ts';
import type { FeedStore } from '../store/port/feed.ts';
import type { SettingsStore } from '../store/port/settings.ts';

export interface FeedRetention {
  readonly store: {
    readonly feed: Pick<FeedStore, 'tidyFeed'>;
    readonly settings: Pick<SettingsStore, 'listMerchants'>;
  };
  readonly nowMs: () => number;
}

const DAY_MS = 86_400_000;

export async function tidyFeeds({ store, nowMs }: FeedRetention, signal: AbortSignal): Promise<void> {
  const beforeMs = nowMs() - LIMITS.event_days * DAY_MS;
  for (const { accounts } of await store.settings.listMerchants()) {
    for (const accountId of Object.values(accounts)) {
      while (!signal.aborted && (await store.feed.tidyFeed(accountId, beforeMs)) === 'more');
    }
  }
}
