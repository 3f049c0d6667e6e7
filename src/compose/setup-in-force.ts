/**
 * In charge of the setup that a process goes by: accounts, taxonomy, policies and placeholders, in memory and exchanged
 * when the store's setup has moved on. Looked at twice a second; background work also looks before it reviews.
 */
import { AccountDirectory, REFRESH_INTERVAL_MS } from '../access/account-directory.ts';
import type { Account } from '../domain/account.ts';
import type { ReviewRules } from '../operations/review-knowledge.ts';
import { PoliciesInForce } from '../review/policies-in-force.ts';
import type { ReviewSetup } from '../review/review-setup.ts';
import { RulesInForce } from '../review/rules-in-force.ts';
import type { Store } from '../store/port.ts';
import { TaxonomyInForce } from '../taxonomy/taxonomy-in-force.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

export class SetupInForce implements ReviewSetup {
  readonly directory: AccountDirectory;
  readonly taxonomy: TaxonomyInForce;
  readonly policies: PoliciesInForce;
  readonly rules: ReviewRules;
  readonly rulesInForce: RulesInForce;
  #timer: NodeJS.Timeout | undefined;
  #toldVersion = 0;

  /** Knows nothing before it was told to follow. */
  constructor(store: Store, program: Pick<ReviewRules, 'imageCheck' | 'code'>, refusedUsers: readonly string[] = []) {
    this.directory = new AccountDirectory(store, refusedUsers);
    this.taxonomy = new TaxonomyInForce(store.taxonomy);
    this.policies = new PoliciesInForce(store.policies);
    this.rules = { taxonomy: this.taxonomy, policies: this.policies, ...program };
    this.rulesInForce = new RulesInForce(store.policies, `${program.imageCheck} ${program.code}`);
  }

  placeholders = () => this.policies.placeholders;

  account(accountId: number): Promise<Account | undefined> {
    return this.directory.account(accountId);
  }

  async follow(): Promise<void> {
    await this.directory.refresh();
    const { version } = this.directory;
    await this.taxonomy.follow(version);
    await this.policies.follow(version);
    await this.rulesInForce.follow(version);
  }

  keepFollowing(telemetry: Telemetry): void {
    this.#toldVersion = this.directory.version;
    this.#timer = setInterval(() => void this.followLoudly(telemetry), REFRESH_INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Never rejects: a failure is told, and the next look tries again. */
  async followLoudly(telemetry: Telemetry): Promise<void> {
    try {
      await this.follow();
      const { version } = this.directory;
      // Once for each change, also where a request met it between two looks.
      if (version !== this.#toldVersion) telemetry.observe('setup_changed', { version });
      this.#toldVersion = version;
    } catch (error) {
      telemetry.observe('setup_unreadable', { error });
    }
  }
}
