/** The part of the store that the command line opens too: account settings and people. */
import type { PeopleStore } from '../port/people.ts';
import type { PolicyStore } from '../port/policies.ts';
import type { SettingsStore } from '../port/settings.ts';
import type { TaxonomyStore } from '../port/taxonomy.ts';
import type { SetupStore } from '../port.ts';
import { methodsOf } from '../shared/aggregates.ts';
import type { Database } from './engine.ts';
import { runCommandsOn } from './shared-commands.ts';

export class PostgresSetupStore implements SetupStore {
  readonly settings: SettingsStore;
  readonly taxonomy: TaxonomyStore;
  readonly policies: PolicyStore;
  readonly people: PeopleStore;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    const run = runCommandsOn(database);
    this.settings = methodsOf('settings', run);
    this.taxonomy = methodsOf('taxonomy', run);
    this.policies = methodsOf('policies', run);
    this.people = methodsOf('people', run);
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
