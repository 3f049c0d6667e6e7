/**
 * Applies announced rule changes on their date, and reminds merchants of them. Once a day, counts the offers that would fail. Deletes the
 * records of these offers after a change was applied or cancelled. Calls the database only when one of these is due, because each process
 * has the changes in memory.
 */
import { PollingLoop } from '../background/polling-loop.ts';
import { isCountDue, reminderDays } from '../domain/review/reminders.ts';
import type { AnnouncedChange } from '../store/port/settings.ts';
import type { Store } from '../store/port.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { CurrentPolicies } from './current-policies.ts';

interface AnnouncedParts {
  readonly store: Pick<Store, 'policies' | 'review' | 'settings'>;
  readonly setup: { readonly policies: Pick<CurrentPolicies, 'announced' | 'uncleared'>; follow(): Promise<void> };
  readonly telemetry: Pick<Telemetry, 'observe'>;
  readonly nowMs: () => number;
}

const POLL_MS = 500;

/** Every process may do this work; the store does each part of it once. */
export function applyAnnounced({ store, setup, telemetry, nowMs }: AnnouncedParts): PollingLoop {
  return new PollingLoop({
    async step() {
      const { announced, uncleared } = setup.policies;
      const [next] = announced;
      const isDue = next !== undefined && next.change.enforcedFromMs <= nowMs();
      const reminders = announced.filter(({ change }) => remindsOf(change, nowMs()) < change.remindedDays);
      const isCounting = announced.some(({ change }) => isCountDue(change, nowMs()));
      if (!isDue && uncleared.length === 0 && reminders.length === 0 && !isCounting) return false;
      if (isDue) await store.policies.applyAnnouncedChange(nowMs());
      for (const { change } of reminders) {
        await store.policies.remindOfChange(change.announcedId, remindsOf(change, nowMs()), nowMs());
      }
      if (isCounting) await countFailing(store, nowMs());
      for (const announcedId of uncleared) await clearUpcoming(store, announcedId, nowMs());
      await setup.follow();
      return true;
    },
    onFailure: (error) => telemetry.observe('work_stalled', { kind: 'announced_changes', error }),
    poll_ms: POLL_MS,
  });
}

function remindsOf({ enforcedFromMs }: AnnouncedChange, nowMs: number): number {
  return reminderDays(enforcedFromMs, nowMs);
}

/** Several processes may count, and the first stores its counts. */
async function countFailing({ settings, review, policies }: AnnouncedParts['store'], nowMs: number) {
  const offers = new Map<number, number>();
  for (const { accounts } of await settings.listMerchants()) {
    for (const [id, failing] of await review.countUpcoming(accounts.live))
      offers.set(id, (offers.get(id) ?? 0) + failing);
  }
  await policies.noteFailing(offers, nowMs);
}

/** Runs in slices. After a crash, the change still counts as not cleared, so this runs again. */
async function clearUpcoming({ settings, review, policies }: AnnouncedParts['store'], id: number, nowMs: number) {
  for (const { accounts } of await settings.listMerchants()) {
    for (const accountId of Object.values(accounts)) {
      while ((await review.clearUpcoming(accountId, id, nowMs)) === 'more');
    }
  }
  await policies.noteCleared(id);
}
