/** In charge of which commands the writer thread takes: writes of offers, and those of work leases. */
import type { WorkFigures, WorkLease } from '../work-port.ts';
import type { Connection } from './engine.ts';
import { OfferWrites } from './offer-writes.ts';
import { WorkLeases } from './work-leases.ts';
import type { WriteNumbers } from './write-numbers.ts';

export class WriterService extends OfferWrites {
  readonly #work: WorkLeases;

  constructor(connection: Connection, numbers: WriteNumbers) {
    super(connection, numbers);
    this.#work = new WorkLeases(connection, numbers);
  }

  announceWork(kind: string, accountId: number, delay_ms: number): void {
    this.#work.announce(kind, accountId, Date.now() + delay_ms);
  }

  takeWork(kind: string, holder: string, lease_ms: number): WorkLease | undefined {
    return this.#work.take(kind, holder, lease_ms, Date.now());
  }

  renewWork(kind: string, accountId: number, fence: number, lease_ms: number): 'held' | 'lost' {
    return this.#work.renew(kind, accountId, fence, Date.now() + lease_ms);
  }

  finishWork(kind: string, accountId: number, fence: number, next_delay_ms: number | undefined): 'finished' | 'lost' {
    const nextDueMs = next_delay_ms === undefined ? null : Date.now() + next_delay_ms;
    return this.#work.finish(kind, accountId, fence, nextDueMs);
  }

  readWorkFigures(): WorkFigures[] {
    return this.#work.figures(Date.now());
  }
}
