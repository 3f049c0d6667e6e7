/** Defines the parts of a process that its API and its background work share, and its clocks. */
import type { Settings } from '../config/settings.ts';
import type { FileStorage } from '../files/file-storage.ts';
import type { ImageDecoders } from '../review/images/decoding/image-decoders.ts';
import type { Store } from '../store/port.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { CurrentSetup } from './current-setup.ts';

export interface ProcessParts {
  readonly settings: Settings;
  readonly store: Store;
  /** Storage of bulk files and reports. */
  readonly storage: FileStorage;
  readonly setup: CurrentSetup;
  readonly telemetry: Telemetry;
  /** Undefined if traces are not exported. */
  readonly tracing: Tracing | undefined;
  readonly decoders: ImageDecoders;
  readonly clock: Clock;
  /** Whether live offers are projected for the storefront. */
  readonly hasStorefront: boolean;
}

/** Tests replace the clocks. */
export interface Clock {
  /** The wall clock. */
  readonly nowMs: () => number;
  /** A clock that never runs backwards. */
  readonly monotonicMs: () => number;
}

export const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
