/** Defines the context of every operation on whole merchants. */

import type { MoveStore } from '../../store/port/moves.ts';
import type { SetupStore } from '../../store/port.ts';
import type { Pace } from './pace.ts';

export interface MoveContext {
  readonly moves: MoveStore;
  readonly setup: SetupStore;
  readonly pace: Pace;
}
