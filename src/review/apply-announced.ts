/** Applies announced rule changes when their date comes. A database call is made only then, because each process knows the next date. */
import { PollingLoop } from '../background/polling-loop.ts';
import type { PolicyStore } from '../store/port/settings.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

interface AnnouncedParts {
  readonly store: { readonly policies: Pick<PolicyStore, 'applyAnnouncedChange'> };
  readonly setup: { readonly policies: { readonly nextChangeMs: number | null }; follow(): Promise<void> };
  readonly telemetry: Pick<Telemetry, 'observe'>;
  readonly nowMs: () => number;
}

const POLL_MS = 500;

/** Every process may apply a change; the store applies it once. */
export function applyAnnounced({ store, setup, telemetry, nowMs }: AnnouncedParts): PollingLoop {
  return new PollingLoop({
    async step() {
      const { nextChangeMs } = setup.policies;
      if (nextChangeMs === null || nextChangeMs > nowMs()) return false;
      const isApplied = await store.policies.applyAnnouncedChange(nowMs());
      await setup.follow();
      return isApplied;
    },
    onFailure: (error) => telemetry.observe('work_stalled', { kind: 'announced_changes', error }),
    poll_ms: POLL_MS,
  });
}
