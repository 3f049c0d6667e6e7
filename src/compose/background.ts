/** In charge of the work that nobody waits for: one loop for each kind of it. */

import { HOUSEKEEPING_KIND, startHousekeeping } from '../background/housekeeping.ts';
import type { Store } from '../store/port.ts';
import type { WorkFigures } from '../telemetry/metrics-page.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from './clock.ts';

export interface BackgroundParts {
  readonly store: Store;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly processName: string;
}

export interface Background {
  /** Takes no further work and waits so long for what is under way; another process goes on with what is left. */
  stop(seconds_max: number): Promise<void>;
}

export async function startBackground({ store, telemetry, clock, processName }: BackgroundParts): Promise<Background> {
  const loops = [await startHousekeeping({ store, telemetry, nowMs: clock.nowMs, holder: processName })];
  return {
    stop: async (seconds_max) => void (await Promise.all(loops.map((loop) => loop.close(seconds_max * 1000)))),
  };
}

const KINDS = Object.freeze([HOUSEKEEPING_KIND]);

/** What waits, also where it is nothing. None while the store does not answer: other figures are wanted most then. */
export async function readWork(store: Store): Promise<readonly WorkFigures[]> {
  try {
    const waiting = new Map((await store.readWorkFigures()).map((figures) => [figures.kind, figures]));
    return KINDS.map((kind) => waiting.get(kind) ?? { kind, due: 0, oldestDue_ms: 0 });
  } catch {
    return [];
  }
}
