/**
 * Holds the process's configuration in memory: accounts, taxonomy, policies, placeholders. Checks the version in the database
 * twice a second and before each review, and reloads what changed.
 */
import { AccountDirectory, REFRESH_INTERVAL_MS } from '../access/account-directory.ts';
import type { Account } from '../domain/account.ts';
import type { ReviewRules } from '../operations/review-knowledge.ts';
import { ActiveRules } from '../review/active-rules.ts';
import { CurrentPolicies } from '../review/current-policies.ts';
import type { ReviewSetup } from '../review/review-setup.ts';
import type { Store } from '../store/port.ts';
import { CurrentTaxonomy } from '../taxonomy/current-taxonomy.ts';
import { treeOf } from '../taxonomy/read-stored.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

export class CurrentSetup implements ReviewSetup {
  readonly directory: AccountDirectory;
  readonly taxonomy: CurrentTaxonomy;
  readonly policies: CurrentPolicies;
  readonly rules: ReviewRules;
  readonly activeRules: ActiveRules;
  #timer: NodeJS.Timeout | undefined;
  #reportedVersion = 0;

  /** Creates an empty configuration. Call `follow` to load it. */
  constructor(store: Store, program: Omit<ReviewRules, 'taxonomy' | 'policies'>, refusedUsers: readonly string[] = []) {
    this.directory = new AccountDirectory(store, refusedUsers);
    this.taxonomy = new CurrentTaxonomy(store.taxonomy);
    this.policies = new CurrentPolicies(store.policies, treeOf);
    this.rules = { taxonomy: this.taxonomy, policies: this.policies, ...program };
    this.activeRules = new ActiveRules(
      store.policies,
      [program.imageCheck, ...program.newProductData, program.code].join(' '),
    );
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
    await this.activeRules.follow(version);
  }

  keepFollowing(telemetry: Telemetry): void {
    this.#reportedVersion = this.directory.version;
    this.#timer = setInterval(() => void this.followLoudly(telemetry), REFRESH_INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Follows changes and never rejects. A failure is reported, and the next check retries. */
  async followLoudly(telemetry: Telemetry): Promise<void> {
    try {
      await this.follow();
      const { version } = this.directory;
      // Report each change once, even if a request reloaded it between two checks.
      if (version !== this.#reportedVersion) telemetry.observe('setup_changed', { version });
      this.#reportedVersion = version;
    } catch (error) {
      telemetry.observe('setup_unreadable', { error });
    }
  }
}
