/**
 * In charge of whether this process is one of those that review. Processes of two releases, or of two settings, may run side
 * by side, as in a rolling restart: those review whose rules were noted last, which is at a start, and the others leave it
 * to them. Where no such process lives any more, because it was a start that failed, the others are in force again.
 */
import type { PolicyStore } from '../store/port/settings.ts';

type RulesStore = Pick<PolicyStore, 'noteRules' | 'readRules' | 'holdRules'>;

/**
 * So many looks in a row, half a minute apart, at which nobody was heard of who goes by the rules in force. An outage of the
 * store does not count: none of them could have said so.
 */
const SILENT_LOOKS_MAX = 4;

export class RulesInForce {
  readonly #store: RulesStore;
  readonly #rules: string;
  #inForce: string | undefined;
  #version: number | undefined;
  #heard = { holds: -1, silentChecks: 0 };

  /** `rules` names those of this process. */
  constructor(store: RulesStore, rules: string) {
    this.#store = store;
    this.#rules = rules;
  }

  /** False: offers are reviewed by processes that were started since. */
  get areOwn(): boolean {
    return this.#inForce === this.#rules;
  }

  /** From now on those of this process are in force. Offers that were reviewed by others are reviewed again. */
  note(): Promise<void> {
    return this.#store.noteRules(this.#rules);
  }

  /** `setupVersion` is the one that the store has now; it moves on when others come in force. */
  async follow(setupVersion: number): Promise<void> {
    if (setupVersion === this.#version) return;
    const inForce = await this.#store.readRules();
    // Whoever was asked earlier may be answered later: what was read for a newer version stays.
    if (this.#version !== undefined && setupVersion < this.#version) return;
    this.#inForce = inForce;
    this.#version = setupVersion;
  }

  /** To be called every half minute by whoever may review. */
  async hold(): Promise<void> {
    const before = this.#heard;
    this.#heard = { holds: -1, silentChecks: 0 };
    const { inForce, holds } = await this.#store.holdRules(this.#rules);
    if (inForce) return;
    const silentChecks = holds === before.holds ? before.silentChecks + 1 : 0;
    if (silentChecks < SILENT_LOOKS_MAX) this.#heard = { holds, silentChecks };
    else await this.note();
  }
}
