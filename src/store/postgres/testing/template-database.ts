/**
 * In charge of the database that others are copied from: it has all tables, and nothing in them. To make them anew for each
 * test took 150 ms of two processes, and a run makes some 250.
 */
import { openDatabase } from '../engine.ts';
import { migrate } from '../migrations.ts';
import { administer } from './administer.ts';

const NAME = 'offerbook_test_template';

/** On a server that is the run's own. Nobody may be connected to it when it is copied. */
export async function createTemplate(serverUrl: string): Promise<string> {
  await administer(serverUrl, `CREATE DATABASE ${NAME} TEMPLATE template0 ENCODING 'UTF8'`);
  const database = openDatabase({
    url: Object.assign(new URL(serverUrl), { pathname: `/${NAME}` }).href,
    call_ms_max: 60_000,
  });
  await migrate(database).finally(() => database.close());
  return NAME;
}
