/** What every operation of the setup works with: the store, the checks compiled for the names in force and the time. */
import type { SetupChecks } from '../../domain/setup/all-setup.ts';
import type { SetupStore } from '../../store/port.ts';

export interface SetupContext {
  readonly store: SetupStore;
  readonly checks: SetupChecks;
  readonly nowMs: () => number;
}
