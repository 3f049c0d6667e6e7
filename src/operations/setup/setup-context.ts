/** Defines the context of every operation on settings: the store, the compiled checks and the time. */
import type { SetupChecks } from '../../domain/setup/all-setup.ts';
import type { SetupStore } from '../../store/port.ts';

export interface SetupContext {
  readonly store: SetupStore;
  readonly checks: SetupChecks;
  readonly nowMs: () => number;
}
