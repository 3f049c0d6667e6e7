/**
 * Decides whether this process reviews offers. During a rolling restart, processes of two releases or settings run at the same time. Each
 * process records its rules at start, and only processes with the most recently recorded rules review. If none of them is alive any more,
 * for example after a failed start, the other processes take over again.
 */
import type { PolicyStore } from '../store/port/settings.ts';

type RulesStore = Pick<PolicyStore, 'noteRules' | 'readRules' | 'holdRules'>;

/**
 * After this many consecutive checks without a report by a process with the active rules, other processes take over. Checks are half a
 * minute apart. A check during a database outage does not count, because no process can report then.
 */
const SILENT_CHECKS_MAX = 4;

export class ActiveRules {
  readonly #store: RulesStore;
  readonly #rules: string;
  #active: string | undefined;
  #version: number | undefined;
  #heard = { holds: -1, silentChecks: 0 };

  /** `rules` identifies this process's rules. */
  constructor(store: RulesStore, rules: string) {
    this.#store = store;
    this.#rules = rules;
  }

  /** Whether this process's rules are active. If not, processes with other rules review the offers. */
  get areOwn(): boolean {
    return this.#active === this.#rules;
  }

  /** Makes this process's rules active. Offers that were reviewed with other rules are re-reviewed. */
  note(): Promise<void> {
    return this.#store.noteRules(this.#rules);
  }

  /** `setupVersion`: the current version in the database; it changes when other rules become active. */
  async follow(setupVersion: number): Promise<void> {
    if (setupVersion === this.#version) return;
    const active = await this.#store.readRules();
    // Responses may arrive out of order: keep the data of the newest version.
    if (this.#version !== undefined && setupVersion < this.#version) return;
    this.#active = active;
    this.#version = setupVersion;
  }

  /** Call it every half minute in each process that may review. */
  async hold(): Promise<void> {
    const before = this.#heard;
    this.#heard = { holds: -1, silentChecks: 0 };
    const { isActive, holds } = await this.#store.holdRules(this.#rules);
    if (isActive) return;
    const silentChecks = holds === before.holds ? before.silentChecks + 1 : 0;
    if (silentChecks < SILENT_CHECKS_MAX) this.#heard = { holds, silentChecks };
    else await this.note();
  }
}
