/** The part of the store that the command line opens too: account settings and people. */
import type { PeopleStore } from '../port/people.ts';
import type { PolicyStore } from '../port/policies.ts';
import type { SettingsStore } from '../port/settings.ts';
import type { TaxonomyStore } from '../port/taxonomy.ts';
import type { SetupStore } from '../port.ts';
import { methodsOf, type RunCommand } from '../shared/aggregates.ts';
import { type Connection, storeError } from './engine.ts';

export class SqliteSetupStore implements SetupStore {
  readonly settings: SettingsStore;
  readonly taxonomy: TaxonomyStore;
  readonly policies: PolicyStore;
  readonly people: PeopleStore;
  readonly #connection: Connection;

  constructor(connection: Connection, run: RunCommand) {
    this.#connection = connection;
    this.settings = methodsOf('settings', run);
    this.taxonomy = methodsOf('taxonomy', run);
    this.policies = methodsOf('policies', run);
    this.people = methodsOf('people', run);
  }

  async close(): Promise<void> {
    if (this.#connection.isOpen) this.#connection.close();
  }
}

/** What is asked of SQLite on this thread is done at once; callers get a promise, as from every other store. */
export function answered<T>(work: () => T): Promise<T> {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject(storeError(error));
  }
}
