/**
 * Provides the accounts and the taxonomy for checking rows, refreshed from the store twice a second. So a file sees a
 * node that is added while the file is processed.
 */
import { AccountDirectory, REFRESH_INTERVAL_MS } from '../access/account-directory.ts';
import type { Account } from '../domain/account.ts';
import type { SetupStore } from '../store/port.ts';
import { CurrentTaxonomy } from '../taxonomy/current-taxonomy.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

export class BulkSetup {
  readonly taxonomy: CurrentTaxonomy;
  readonly #directory: AccountDirectory;
  readonly #telemetry: Pick<Telemetry, 'observe'>;
  #timer: NodeJS.Timeout | undefined;

  /** Empty until the first call of `follow`. */
  constructor(store: SetupStore, telemetry: Pick<Telemetry, 'observe'>) {
    this.#directory = new AccountDirectory(store);
    this.taxonomy = new CurrentTaxonomy(store.taxonomy);
    this.#telemetry = telemetry;
  }

  account = (accountId: number): Promise<Account | undefined> => this.#directory.account(accountId);

  async follow(): Promise<void> {
    await this.#directory.refresh();
    await this.taxonomy.follow(this.#directory.version);
  }

  keepFollowing(): void {
    this.#timer = setInterval(() => {
      this.follow().catch((error: unknown) => this.#telemetry.observe('setup_unreadable', { error }));
    }, REFRESH_INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
